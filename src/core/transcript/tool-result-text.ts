// Writes the result of a call as the model reads it: the plain output if the call completed, and a standard text for every other outcome.
//
// 1. A text says "did not run" if and only if the effect is `not_started`.
// 2. `cancelled: true` marks a call that the model must not repeat unless it is asked to.
// 3. A log of another version may have an outcome without a text here. It gets the text for an unknown one: an exception would make the
//    session unusable.
import { failureCodes } from '../../../machines/codes.ts';
import type { ToolCall, ToolResult } from '../../../machines/facts.ts';
import type { Cause, Effect, OutcomeKind } from '../../../machines/vocabulary.ts';

type Status = Exclude<OutcomeKind, 'completed'> | 'interrupted_before_start';

/** The facts about a call, beside its result, that the text depends on. */
export interface Circumstances {
  /** The cause of its cut; null: it was not stopped. */
  readonly cause: Cause | null;
  /** The call's own timeout in milliseconds, if that has expired; otherwise null. */
  readonly expiredTimeoutMs: number | null;
  /** The longest timeout that a model may ask for, in milliseconds. */
  readonly maxTimeoutMs: number;
}

interface Wording {
  readonly mustNotRetry: boolean;
  describe(result: ToolResult, call: ToolCall, circumstances: Circumstances): string;
}

const effectSentences: Readonly<Record<Effect, string>> = {
  not_started: 'It did not run.',
  none: 'It had no effects.',
  unknown: 'It may have had effects: find out before anything is repeated.',
  done: 'It had its effects.',
};

/** The message of a tool may be a fragment: `exit code 3`. */
const asSentence = (text: string): string => (/[.!?…)\]]$/.test(text) ? text : `${text}.`);

const doNotRepeat = 'Do not call it again unless asked to.';
const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/** Returns the argument by which a model sets the timeout of a call. The instructions of a model name it too (src/core/runtime/agent-profiles.ts). */
export const timeoutArgument = (maxMs: number) =>
  `\`"_meta": {"timeout": <milliseconds>}\` among its arguments, ${maxMs} at most`;

/** Returns the advice after an expired time limit. Another try can help only if it was the call's own timeout. */
function adviceAfterTimeout({ expiredTimeoutMs, maxTimeoutMs }: Circumstances): string {
  if (expiredTimeoutMs === null) return 'Go on without it, or go another way.';
  const more = expiredTimeoutMs < maxTimeoutMs ? `, or with more time: ${timeoutArgument(maxTimeoutMs)}` : '';
  return `Go on without it, go another way, or call it again in smaller steps${more}.`;
}

/** Returns ` after 2 s`; an empty text if it is not known how long the call took. */
function afterDuration({ ms }: ToolResult, { expiredTimeoutMs }: Circumstances): string {
  const took = expiredTimeoutMs ?? ms;
  return took === undefined ? '' : ` after ${seconds(took)}`;
}

/** Names the time limit that has expired. The cause of a deadline names it, in milliseconds; the text has seconds. */
function expiredTime({ expiredTimeoutMs, cause }: Circumstances): string {
  const reason = expiredTimeoutMs === null && cause?.source === 'deadline' ? cause.reason : null;
  return reason?.replace(/\d+ ms/g, (ms) => seconds(Number.parseInt(ms, 10))) ?? 'its time was over';
}

/** Looks up a key that comes from a log and may be any text. */
const lookUp = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Returns the sentence of a failure code, as in docs/errors.md. */
export const failureSentence = (code: string): string | undefined => lookUp<string>(failureCodes, code);

const reasonOf = ({ code, message }: ToolResult): string | undefined => message || (code && failureSentence(code));

const wordings: Readonly<Record<Status, Wording>> = {
  cancelled: { mustNotRetry: true, describe: () => `Cancelled while it ran. ${doNotRepeat}` },
  interrupted_before_start: { mustNotRetry: true, describe: () => `Cancelled before it started. ${doNotRepeat}` },
  timed_out: {
    mustNotRetry: false,
    describe: (result, { name }, circumstances) =>
      `${name} was stopped${afterDuration(result, circumstances)}: ${expiredTime(circumstances)}. ${adviceAfterTimeout(circumstances)}`,
  },
  superseded: {
    mustNotRetry: true,
    describe: () => `Stopped because a newer call has taken its place. ${doNotRepeat}`,
  },
  failed: { mustNotRetry: false, describe: (result) => reasonOf(result) ?? 'It failed.' },
  denied: {
    mustNotRetry: false,
    describe: (result) => `${reasonOf(result) ?? 'It was not allowed.'} Do not try to get around this.`,
  },
  abandoned: {
    mustNotRetry: true,
    describe: ({ effect }) =>
      `It was told to stop and did not end in time${effect === 'not_started' ? '' : ', so it may still be running'}. ${doNotRepeat}`,
  },
  continues: {
    mustNotRetry: false,
    describe: (_, { owner }) => `Not stopped: it belongs to ${owner} and is still running. ${doNotRepeat}`,
  },
};

/** The wording of a call that was abandoned after its time limit and not after a cancel: the model may try again. */
const abandonedAfterTimeout: Wording = {
  mustNotRetry: false,
  describe(result, { name }, circumstances) {
    const still = result.effect === 'not_started' ? '' : ': perhaps it is still running';
    const ended = `${name} was told to stop${afterDuration(result, circumstances)}, since ${expiredTime(circumstances)}, and did not end${still}.`;
    return `${ended} ${adviceAfterTimeout(circumstances)}`;
  },
};

const unknownEnd: Wording = { mustNotRetry: false, describe: () => 'How it ended is not known.' };

/** Returns the content of a call's one tool message: its output, or a JSON object with `status`, `effect` and `message`. */
export function resultText(result: ToolResult, call: ToolCall, circumstances: Circumstances): string {
  const { outcome, effect, code, output = '', omitted } = result;
  if (outcome === 'completed') return output || '(no output)';
  const status = outcome === 'cancelled' && effect === 'not_started' ? 'interrupted_before_start' : outcome;
  const isOverrun = outcome === 'abandoned' && circumstances.cause?.source === 'deadline';
  const wording = isOverrun ? abandonedAfterTimeout : lookUp(wordings, status);
  const { mustNotRetry, describe } = wording ?? unknownEnd;
  const effectSentence = lookUp(effectSentences, effect);
  return JSON.stringify({
    status: wording ? status : 'unknown',
    cancelled: mustNotRetry || undefined,
    effect: effectSentence === undefined ? 'unknown' : effect,
    message: `${asSentence(describe(result, call, circumstances))} ${effectSentence ?? effectSentences.unknown}`,
    code,
    output: output || undefined,
    omitted,
  });
}
