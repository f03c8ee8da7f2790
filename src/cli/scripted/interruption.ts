// Reads from a request's messages how the turn before was interrupted, and which of its calls were stopped.
import { lastExchange, textOf, type WireMessage } from './reply.ts';

/** The turn before the last user message, which was stopped. */
export interface Interruption {
  /** What was said. */
  readonly text: string;
  /** As the runtime's note has it. */
  readonly stopNote: string;
  readonly finished: readonly string[];
  readonly stopped: readonly string[];
}

/** In the results of calls that did not come to an end of their own (transcript/wording.ts). */
const stopStatuses: readonly unknown[] = [
  'cancelled',
  'interrupted_before_start',
  'timed_out',
  'superseded',
  'abandoned',
  'continues',
];

/** How a call was stopped, by its result; null: it was not. */
function readStopStatus(result: string): string | null {
  try {
    const parsed: unknown = JSON.parse(result);
    const status = typeof parsed === 'object' && parsed !== null && 'status' in parsed ? parsed.status : null;
    return typeof status === 'string' && stopStatuses.includes(status) ? status.replaceAll('_', ' ') : null;
  } catch {
    return null;
  }
}

/** Reads how the last turn ended from the note in the history, and from the results of its calls; null: it was not interrupted. */
export function readInterruption(messages: readonly WireMessage[]): Interruption | null {
  const stopNote = /the turn above (.*?)\. /s.exec(lastExchange(messages).notes)?.[1];
  if (stopNote === undefined) return null;
  const before = messages.slice(
    0,
    messages.findLastIndex((message) => message.role === 'user'),
  );
  const { user, since } = lastExchange(before);
  const calls = readCalls(since);
  return {
    text: user,
    stopNote,
    finished: calls.filter(({ stopStatus }) => stopStatus === null).map(({ name }) => name),
    stopped: calls.filter(({ stopStatus }) => stopStatus !== null).map(({ name }) => name),
  };
}

export interface CallWithResult {
  readonly name: string;
  readonly result: string;
  /** How it was stopped; null: it was not. */
  readonly stopStatus: string | null;
}

/** The calls in these messages, each with its result. */
export function readCalls(messages: readonly WireMessage[]): readonly CallWithResult[] {
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => {
      const result = textOf(messages.find((each) => each.tool_call_id === call.id));
      return { name: call.function.name, result, stopStatus: readStopStatus(result) };
    });
}
