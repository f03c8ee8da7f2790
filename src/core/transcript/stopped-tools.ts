// Notes to the model that speakers have stopped the tools of its turn, and not the turn: it reads them with the results, and goes on.
import type { Message } from '../../../machines/messages.ts';
import type { Cause } from '../../../machines/vocabulary.ts';
import { readTarget } from '../receipt/cancel-target.ts';
import { listCalls, listLateEnds, type NoteSources, note, quote, quoteName } from './notes.ts';
import type { CallOutline, Round } from './outline.ts';

/** Whether a CANCEL of tools is the cause. */
export const isOfTools = (cause: Cause | null): boolean => cause !== null && readTarget(cause.target).reach === 'tools';

const rules =
  'This turn goes on: decide by these results what is best now, or ask what to do next. Do not simply call the same again. ' +
  'What may have had effects is never to be repeated silently: find out first what it has done, or ask. The runtime asks a speaker before the same call runs again.';

/**
 * Returns the messages of a round. The result of the last call that a CANCEL of tools has stopped ends with a note: a message of its own would come between the
 * results and the response to them.
 */
export function withStoppedTools(
  messages: readonly Message[],
  { calls }: Pick<Round, 'calls'>,
  sources: NoteSources,
): readonly Message[] {
  const causeOf = ({ fact }: CallOutline) => sources.causeOf(fact.node);
  const stopped = calls.filter((call) => isOfTools(causeOf(call)));
  const last = stopped.at(-1)?.fact.node;
  if (last === undefined) return messages;
  const who = (call: CallOutline) => {
    const { by = null, reason = null } = causeOf(call) ?? {};
    return `${by === null ? 'the runtime' : quoteName(by)} has stopped the tools${reason === null ? '' : ` (${quote(reason)})`}.`;
  };
  const bySpeaker = [...Map.groupBy(stopped, who)];
  const lists = bySpeaker.map(([words, group]) => `${words}${listCalls(group, sources)}${listLateEnds(group)}`);
  const text = `\n\n${note(`${lists.join(' ')} ${rules}`)}`;
  return messages.map((message) => {
    if (message.role !== 'tool' || message.callId !== last) return message;
    const { parts } = message;
    return {
      ...message,
      content: `${message.content}${text}`,
      ...(parts && { parts: [...parts, { type: 'text', text } as const] }),
    };
  });
}
