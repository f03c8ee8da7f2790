// Notes to the model that speakers have stopped the tools of its turn, and not the turn: it reads them after the results, and goes on.
import { type Cause, toolsPrefix } from '../../../machines/vocabulary.ts';
import { listCalls, listLateEnds, type NoteSources, note, quote, quoteName } from './notes.ts';
import type { CallOutline, Round } from './outline.ts';

/** Whether a CANCEL of tools is the cause. */
export const isOfTools = (cause: Cause | null): boolean => cause?.target.startsWith(toolsPrefix) === true;

const rules =
  'This turn goes on: decide by these results what is best now, or ask what to do next. Do not simply call the same again. ' +
  'What may have had effects is never to be repeated silently: find out first what it has done, or ask. The runtime asks a speaker before the same call runs again.';

/** Returns the note on a round whose calls have their results; null: no tools of it were stopped. */
export function noteOfStoppedTools({ calls }: Pick<Round, 'calls'>, sources: NoteSources): string | null {
  const causeOf = ({ fact }: CallOutline) => sources.causeOf(fact.node);
  const stopped = calls.filter((call) => isOfTools(causeOf(call)));
  if (stopped.length === 0) return null;
  const who = (call: CallOutline) => {
    const { by = null, reason = null } = causeOf(call) ?? {};
    return `${by === null ? 'the runtime' : quoteName(by)} has stopped the tools${reason === null ? '' : ` (${quote(reason)})`}.`;
  };
  const bySpeaker = [...Map.groupBy(stopped, who)];
  const lists = bySpeaker.map(([words, group]) => `${words}${listCalls(group, sources)}${listLateEnds(group)}`);
  return note(`${lists.join(' ')} ${rules}`);
}
