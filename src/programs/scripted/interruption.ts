// Reads from a request's messages how the previous turn was interrupted, and which of its calls were stopped.
import type { OutcomeKind } from '../../../machines/vocabulary.ts';
import { namesUnder, quotedText } from './acknowledgement.ts';
import { type LastExchange, lastExchange, messageText, type WireMessage } from './reply.ts';

/** The turn before the last user message, which did not complete. */
export interface Interruption {
  /** The prompt of the turn. */
  readonly text: string;
  /** How the turn ended, in the words of the runtime's note. */
  readonly stopNote: string;
  /** Whether the script has said already that it stopped. */
  readonly isAcknowledged: boolean;
  /** Whether the last words of the turn end where they were stopped. */
  readonly isCutOff: boolean;
  /** The names of the calls that ended by themselves. */
  readonly completed: readonly string[];
  /** The names of the calls that were stopped before they ran. */
  readonly unstarted: readonly string[];
  /** The names of the calls that were stopped while they ran, and had no effects. */
  readonly harmless: readonly string[];
  /** The names of the calls that were stopped while they ran, and may have had effects. */
  readonly uncertain: readonly string[];
}

/** Whether a call with this `status` in its result was stopped, and did not end by itself: see transcript/tool-result-text.ts. */
const isStopped: Readonly<Record<Exclude<OutcomeKind, 'completed'> | 'interrupted_before_start', boolean>> = {
  cancelled: true,
  interrupted_before_start: true,
  timed_out: true,
  superseded: true,
  failed: false,
  denied: false,
  abandoned: true,
  continues: true,
};
const stopStatuses = new Map(Object.entries(isStopped));

/** Reads from its result how a call was stopped; null: it was not. */
function readStop(result: string): { readonly status: string; readonly effect: unknown } | null {
  try {
    const { status, effect, code } = JSON.parse(result) ?? {};
    if (typeof status !== 'string') return null;
    const isStop = stopStatuses.get(status) === true || (status === 'failed' && code === 'crash');
    return isStop ? { status: status.replaceAll('_', ' '), effect } : null;
  } catch {
    return null;
  }
}

/** Reads the interruption of the previous turn from the note in the history and from the results of its calls; null: it was not interrupted. */
export function readInterruption(messages: readonly WireMessage[]): Interruption | null {
  const { notes, before, isAcknowledged } = notesOnLastTurn(messages);
  const stopNote = /the turn above (.*?)\.(?=\)|\s)(\)?)/s.exec(notes);
  if (stopNote === null) return null;
  const { user, since } = lastExchange(before);
  const calls = callsWithResults(since);
  const namesOf = (fits: (call: CallWithResult) => boolean) => calls.filter(fits).map(({ name }) => name);
  return {
    text: user,
    stopNote: `${stopNote[1]}${stopNote[2]}`,
    isAcknowledged,
    isCutOff: since.some((message) => message.role === 'assistant' && messageText(message).endsWith('[cut off here]')),
    completed: namesOf(({ stop }) => stop === null),
    unstarted: namesOf(({ stop }) => stop?.effect === 'not_started'),
    harmless: namesOf(({ stop }) => stop?.effect === 'none'),
    uncertain: namesOf(({ stop }) => stop !== null && stop.effect !== 'not_started' && stop.effect !== 'none'),
  };
}

/** Returns the notes on the turn before the last prompt, and the messages of that turn and of those before it. */
function notesOnLastTurn(
  messages: readonly WireMessage[],
): Pick<LastExchange, 'notes' | 'before'> & { readonly isAcknowledged: boolean } {
  const last = lastExchange(messages);
  // the acknowledgement of a stop has its words between that note and the prompt, after a note of its own
  const earlier = lastExchange(last.before);
  const isAcknowledged = /^\[Note by the runtime, not by a speaker: the words below /.test(earlier.user);
  return { ...(isAcknowledged ? earlier : last), isAcknowledged };
}

export interface CallWithResult {
  readonly name: string;
  readonly result: string;
  /** How the call was stopped, like `timed out`, and its effect; null: it was not. */
  readonly stop: { readonly status: string; readonly effect: unknown } | null;
}

/** Returns the calls in these messages, each with its result. */
export function callsWithResults(messages: readonly WireMessage[]): readonly CallWithResult[] {
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => {
      const result = messageText(messages.find((each) => each.tool_call_id === call.id));
      return { name: call.function.name, result, stop: readStop(result) };
    });
}

/** The note of the runtime on a turn that is to be continued: see transcript/passages.ts. */
export interface ResumptionNote {
  /** The prompt of the turn, in quotes. */
  readonly text: string;
  /** What the speaker has said to it; empty: nothing. */
  readonly words: string;
  /** The names of the calls that completed. */
  readonly completed: readonly string[];
  /** The names of the calls that may have had effects. */
  readonly uncertain: readonly string[];
}

/** Reads what is to be taken up again from the last prompt; null: the prompt is another one. */
export function readResumption({ notes, user }: Pick<LastExchange, 'notes' | 'user'>): ResumptionNote | null {
  const all = `${notes}${user}`;
  const note = /^\[Note by the runtime, not by a speaker: [^\n]* has asked to take up again the turn [^\n]*\]$/m.exec(
    all,
  )?.[0];
  if (note === undefined) return null;
  return {
    text: new RegExp(` in which .*? said (${quotedText})`, 's').exec(note)?.[1] ?? 'the turn',
    words: notes === '' ? '' : user,
    completed: namesUnder('Completed', note),
    uncertain: namesUnder('May have had effects', note),
  };
}
