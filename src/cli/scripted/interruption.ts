// Reads from a request's messages how the previous turn was interrupted, and which of its calls were stopped.
import { namesUnder, quotedText } from './acknowledgement.ts';
import { lastExchange, textOf, type WireMessage } from './reply.ts';

/** The turn before the last user message, which was stopped. */
export interface Interruption {
  /** The prompt of the turn. */
  readonly text: string;
  /** How the turn ended, in the words of the runtime's note. */
  readonly stopNote: string;
  /** The names of the calls that ended by themselves. */
  readonly finished: readonly string[];
  /** The names of the calls that were stopped. */
  readonly stopped: readonly string[];
}

/** The `status` in the result of a call that did not end by itself: see transcript/tool-result-text.ts. */
const stopStatuses: readonly unknown[] = [
  'cancelled',
  'interrupted_before_start',
  'timed_out',
  'superseded',
  'abandoned',
  'continues',
];

/** Reads from its result how a call was stopped; null: it was not. */
function readStopStatus(result: string): string | null {
  try {
    const parsed: unknown = JSON.parse(result);
    const status = typeof parsed === 'object' && parsed !== null && 'status' in parsed ? parsed.status : null;
    return typeof status === 'string' && stopStatuses.includes(status) ? status.replaceAll('_', ' ') : null;
  } catch {
    return null;
  }
}

/** Reads the interruption of the previous turn from the note in the history and from the results of its calls; null: it was not interrupted. */
export function readInterruption(messages: readonly WireMessage[]): Interruption | null {
  const { notes, before } = notesOnLastTurn(messages);
  const stopNote = /the turn above (.*?)\. /s.exec(notes)?.[1];
  if (stopNote === undefined) return null;
  const { user, since } = lastExchange(before);
  const calls = readCalls(since);
  return {
    text: user,
    stopNote,
    finished: calls.filter(({ stopStatus }) => stopStatus === null).map(({ name }) => name),
    stopped: calls.filter(({ stopStatus }) => stopStatus !== null).map(({ name }) => name),
  };
}

/** Returns the notes on the turn before the last prompt, and the messages of that turn and of those before it. */
function notesOnLastTurn(messages: readonly WireMessage[]): {
  readonly notes: string;
  readonly before: readonly WireMessage[];
} {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const before = messages.slice(0, at);
  // the acknowledgement of a stop has its words between that note and the prompt, after a note of its own
  const earlier = before.findLastIndex((message) => message.role === 'user');
  const text = textOf(before[earlier]);
  if (/\[Note by the runtime, not by a speaker: the words below [^\]]*\]$/.test(text))
    return { notes: text, before: before.slice(0, earlier) };
  return { notes: lastExchange(messages).notes, before };
}

export interface CallWithResult {
  readonly name: string;
  readonly result: string;
  /** How the call was stopped, like `timed out`; null: it was not. */
  readonly stopStatus: string | null;
}

/** Returns the calls in these messages, each with its result. */
export function readCalls(messages: readonly WireMessage[]): readonly CallWithResult[] {
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => {
      const result = textOf(messages.find((each) => each.tool_call_id === call.id));
      return { name: call.function.name, result, stopStatus: readStopStatus(result) };
    });
}

/** What the runtime tells of a turn that is to be taken up again: see transcript/note-of-resumption.ts. */
export interface Resumption {
  /** The prompt of the turn, in quotes. */
  readonly text: string;
  /** The names of the calls that completed. */
  readonly completed: readonly string[];
  /** The names of the calls that may have had effects. */
  readonly uncertain: readonly string[];
}

/** Reads what is to be taken up again from a prompt without words of a speaker; null: the prompt is another one. */
export function readResumption(user: string): Resumption | null {
  if (!/^\[Note by the runtime, not by a speaker: .* has asked to take up again the turn /s.test(user)) return null;
  return {
    text: new RegExp(` in which .*? said (${quotedText})`, 's').exec(user)?.[1] ?? 'the turn',
    completed: namesUnder('Completed', user),
    uncertain: namesUnder('May have had effects', user),
  };
}
