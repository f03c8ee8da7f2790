// The note at the head of a turn that resumes an interrupted one: what was done of it, what was not, and what may have been.
import { listCalls, listLateEnds, type NoteSources, nameOf, note, quote, quoteName } from './notes.ts';
import { type CallOutline, callsOf, type TurnOutline } from './outline.ts';
import { callsBelow } from './resumed-turns.ts';

const rules =
  'Go on from what completed, and do not repeat that. Nothing of it runs by itself any more: what is still needed has to be called anew, and asks for approval anew. ' +
  'Never repeat silently what may have had effects: find out first what it has done, or ask. The runtime asks a speaker before the same call runs again.';

/** A call of a sub-agent is in no message of this conversation: its arguments are named here. */
const describeNested = (call: CallOutline): string =>
  `${nameOf(call)} of ${call.turn.parent ? nameOf(call.turn.parent) : 'an agent'} with ${quote(call.fact.arguments)}`;

function describeTurn(turn: TurnOutline, sources: NoteSources): string {
  const { id, owner, opened } = turn;
  const words = opened?.text ? `, in which ${quoteName(owner)} said ${quote(opened.text)}` : ` of ${quoteName(owner)}`;
  const own = callsOf(turn);
  const all = callsBelow(turn);
  const describe = (call: CallOutline) => (own.includes(call) ? nameOf(call) : describeNested(call));
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
  return note(`${quoteName(owner)} has asked to take up again the turn ${which}.${turns.join('')} ${rules}`);
}
