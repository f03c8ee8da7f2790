// Resumed turns: finds in the log the one that a RESUME names, and notes for the model what those that a turn takes up again have done.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { TurnOptions } from '../../../machines/model-options.ts';
import type { ResumedTurn } from '../../../machines/resume.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { callNameWithId, listCalls, listLateEnds, type NoteSources, note, quote, quoteName } from './notes.ts';
import { type CallOutline, callsOf, type TurnOutline } from './outline.ts';

/** A turn that a RESUME names, with what its SAY has asked of the model. */
export interface FoundTurn extends ResumedTurn {
  readonly options: TurnOptions | undefined;
}

/** Returns a turn that a SAY or RESUME has opened; null if the facts have none of this id. */
export function findResumedTurn(facts: readonly RecordedFact[], id: NodeId): FoundTurn | null {
  const found: { -readonly [K in keyof FoundTurn]: FoundTurn[K] }[] = [];
  for (const fact of facts) {
    if (fact.type === 'turn_opened' && fact.kind === 'say' && fact.turn === id)
      found.push({ id, owner: fact.owner, options: fact.options, outcome: null, resumedBy: null });
    const [turn] = found;
    if (turn && fact.type === 'turn_ended' && fact.turn === id) turn.outcome ??= fact.outcome;
    if (turn && fact.type === 'turn_opened' && fact.resumes === id) turn.resumedBy ??= fact.turn;
  }
  return found[0] ?? null;
}

const rulesOfResumption =
  'Go on from what completed, and do not repeat that. Nothing of it runs by itself any more: what is still needed has to be called anew, and asks for approval anew. ' +
  'Never repeat silently what may have had effects: find out first what it has done, or ask. The runtime asks a speaker before the same call runs again.';

/** Returns the calls of a turn and of the sub-agents below it, each before those of its own turn. */
const callsBelow = (turn: TurnOutline): readonly CallOutline[] =>
  callsOf(turn).flatMap((call) => [call, ...(call.child ? callsBelow(call.child) : [])]);

/** A call of a sub-agent is in no message of this conversation: its arguments are named here. */
const describeNested = (call: CallOutline): string =>
  `${callNameWithId(call)} of ${call.turn.parent ? callNameWithId(call.turn.parent) : 'an agent'} with ${quote(call.fact.arguments)}`;

function describeTurn(turn: TurnOutline, sources: NoteSources): string {
  const { id, owner, opened } = turn;
  const words = opened?.text ? `, in which ${quoteName(owner)} said ${quote(opened.text)}` : ` of ${quoteName(owner)}`;
  const own = callsOf(turn);
  const all = callsBelow(turn);
  const describe = (call: CallOutline) => (own.includes(call) ? callNameWithId(call) : describeNested(call));
  const calls = all.length === 0 ? ' It had called nothing.' : listCalls(all, sources, describe);
  return `The turn ${id}${words}.${calls}${listLateEnds(all)}`;
}

/**
 * Returns the note for a turn that has resumed others.
 *
 * @param resumed the turns that it takes up, the last one first. Empty: the conversation has them no more
 */
export function noteOfResumption(
  { owner, opened }: TurnOutline,
  resumed: readonly TurnOutline[],
  sources: NoteSources,
): string {
  const which = resumed[0]?.id ?? `${opened?.resumes ?? ''}, which is not part of this conversation any more`;
  const turns = resumed.toReversed().map((turn) => ` ${describeTurn(turn, sources)}`);
  return note(
    `${quoteName(owner)} has asked to take up again the turn ${which}.${turns.join('')} ${rulesOfResumption}`,
  );
}
