// The request that asks a model to acknowledge a stop: who has stopped what, what was completed, what may have had effects.
//
// It is small, and made of a system message and one of a user, which every chat template accepts: the conversation is not in it.
import type { CancelAccepted, RecordedFact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import { listedNodes } from '../receipt/receipt.ts';
import { describeEnding, listCalls, type NoteSources, note, noteSourcesIn, quote, quoteName } from './notes.ts';
import { callsOf, drawOutline, type Outline, type TurnOutline, textOf } from './outline.ts';

/** Turns that are described. Of more, only their number is named. */
const maxTurns = 8;

/** Returns the messages. `cancel`: the id of the receipt. `instructions`: the system message; none if it is empty. */
export function acknowledgementRequest(
  facts: readonly RecordedFact[],
  cancel: string,
  { to, instructions }: { readonly to: string; readonly instructions: string },
): readonly Message[] {
  const outline = drawOutline(facts);
  const acceptance = outline.accepted.find((accepted) => accepted.cancel === cancel);
  const content = note([...(acceptance ? describeStop(acceptance, outline) : []), taskFor(to)].join(' '));
  const user: Message = { role: 'user', content: content.toWellFormed() };
  return instructions === '' ? [user] : [{ role: 'system', content: instructions.toWellFormed() }, user];
}

const taskFor = (to: string): string =>
  `Tell ${quoteName(to)} now that you have understood: in one short sentence, or two, in your own words and in the language that the people ` +
  'above speak. Say what was stopped; if it matters, say what was completed, what may have had effects, and what runs on. Claim nothing ' +
  'else. Do not go on with any of it, start nothing new, ask nothing, and call no tool.';

function describeStop(acceptance: CancelAccepted, outline: Outline): readonly string[] {
  const { by, source, reason, refused } = acceptance;
  const who = by === null ? 'Somebody' : quoteName(by);
  const words = reason === null ? '' : source === 'phrase' ? `, by saying ${quote(reason)}` : ` (${quote(reason)})`;
  const sources = noteSourcesIn(outline);
  const listed = listedNodes(acceptance);
  const spoken = new Set(listed.flatMap((id) => outline.speeches.get(id) ?? []));
  const turns = rootTurnsOf(listed, outline);
  const others = turns.length - maxTurns;
  return [
    `${who} has just stopped work of yours${words}.`,
    ...turns.slice(0, maxTurns).map((turn) => describeTurn(turn, sources, spoken.has(turn.id))),
    ...(others > 0 ? [`Beside that, ${others} more.`] : []),
    ...(refused.length > 0 ? [`Not stopped, because it is not ${who}'s to stop: ${namesOf(refused, outline)}.`] : []),
  ];
}

/** The root turns that the nodes belong to, each once. An acknowledgement that was stopped along with them is not spoken of. */
function rootTurnsOf(nodes: readonly string[], { turns, calls, speeches }: Outline): readonly TurnOutline[] {
  const rootOf = (turn: TurnOutline): TurnOutline => (turn.parent ? rootOf(turn.parent.turn) : turn);
  const found = nodes
    .flatMap((id) => turns.get(id) ?? calls.get(id)?.turn ?? turns.get(speeches.get(id) ?? '') ?? [])
    .map(rootOf);
  return [...new Set(found)].filter(({ opened }) => opened?.kind !== 'acknowledgement');
}

/** `isSpoken`: its speech was stopped. */
function describeTurn(turn: TurnOutline, sources: NoteSources, isSpoken: boolean): string {
  const { opened, owner, started, ended } = turn;
  const words = quote(opened?.text ?? '');
  const what =
    opened?.kind === 'agent'
      ? `The agent ${opened.agent ?? ''} worked in the background for ${quoteName(owner)} on ${words}.`
      : opened?.kind === 'call'
        ? `A call that is run elsewhere was open for ${quoteName(owner)}.`
        : `${quoteName(owner)} had said ${words}.`;
  const said = turn.rounds.map(textOf).findLast((text) => text.trim() !== '');
  const answer = said === undefined ? '' : ` The end of what you had said to that: ${quote(said.slice(-maxSaid))}.`;
  if (isSpoken && ended?.outcome === 'completed')
    return `${what}${answer} You had finished your answer, and were still saying it aloud: that was stopped.${listCalls(callsOf(turn), sources)}`;
  const end = ended
    ? `${started ? 'It' : 'It had not begun, and'} ${describeEnding(turn, sources)}.`
    : 'Only a part of it was stopped: it goes on.';
  return `${what}${answer} ${end}${listCalls(callsOf(turn), sources)}`;
}

const maxSaid = 200;

function namesOf(refused: CancelAccepted['refused'], { turns, calls }: Outline): string {
  const nameOf = (node: string): string => {
    const turn = turns.get(node);
    if (turn) return `the turn of ${quoteName(turn.owner)} on ${quote(turn.opened?.text ?? '')}`;
    const call = calls.get(node);
    return call ? `${call.fact.name} for ${quoteName(call.fact.owner)}` : node;
  };
  return refused.map(({ node }) => nameOf(node)).join(', ');
}
