// Words the result of a call for the model: the plain output of one that completed, and one standard text for every other end.
//
// 1. "did not run" stands where the effect is `not_started`, and nowhere else.
// 2. `cancelled: true` marks calls that the model must not repeat by itself.
// 3. A log may hold an end that has no text here. It is worded as unknown: a throw would make its session unusable for ever.
import { failureCodes } from '../../machines/codes.ts';
import type { ToolCall, ToolResult } from '../../machines/facts.ts';
import type { Cause, Effect, OutcomeKind } from '../../machines/vocabulary.ts';

type Status = Exclude<OutcomeKind, 'completed'> | 'interrupted_before_start';

/** What the log records of a call beside its result. */
export interface Circumstances {
  /** The cause under which it was stopped; null: it was not stopped. */
  readonly cause: Cause | null;
  /** Its own timeout in milliseconds, where that was over; else null. */
  readonly timeoutMs: number | null;
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

const notAgain = 'Do not call it again unless asked to.';
const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/** Returns how a call asks the runtime for a longer timeout, in its arguments. The instructions of a model say it too (src/runtime/agent-profiles.ts). */
export const askForTime = (maxMs: number) =>
  `\`"_meta": {"timeout": <milliseconds>}\` among its arguments, ${maxMs} at most`;

/** How to go on when a time was over: another try helps where it was the call's own timeout. */
function adviceAfterTime({ timeoutMs, maxTimeoutMs }: Circumstances): string {
  if (timeoutMs === null) return 'Go on without it, or go another way.';
  const more = timeoutMs < maxTimeoutMs ? `, or with more time: ${askForTime(maxTimeoutMs)}` : '';
  return `Go on without it, go another way, or call it again in smaller steps${more}.`;
}

/** ` after 2 s`; empty where it is not known how long it took. */
function duration({ ms }: ToolResult, { timeoutMs }: Circumstances): string {
  const took = timeoutMs ?? ms;
  return took === undefined ? '' : ` after ${seconds(took)}`;
}

/** Names the time that was over: a person's, a turn's, or the call's own. */
function expiredTime({ timeoutMs, cause }: Circumstances): string {
  const reason = timeoutMs === null && cause?.source === 'deadline' ? cause.reason : null;
  return reason?.replace(/\d+ ms/g, (ms) => seconds(Number.parseInt(ms, 10))) ?? 'its time was over';
}

/** Looks up a key that comes from a log, whatever it is. */
const lookUp = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Returns the sentence of a failure code, as in docs/errors.md. */
export const sentenceOf = (code: string): string | undefined => lookUp<string>(failureCodes, code);

const reasonOf = ({ code, message }: ToolResult): string | undefined => message || (code && sentenceOf(code));

const wordings: Readonly<Record<Status, Wording>> = {
  cancelled: { mustNotRetry: true, describe: () => `Cancelled while it ran. ${notAgain}` },
  interrupted_before_start: { mustNotRetry: true, describe: () => `Cancelled before it started. ${notAgain}` },
  timed_out: {
    mustNotRetry: false,
    describe: (result, { name }, circumstances) =>
      `${name} was stopped${duration(result, circumstances)}: ${expiredTime(circumstances)}. ${adviceAfterTime(circumstances)}`,
  },
  superseded: { mustNotRetry: true, describe: () => `Stopped because a newer call has taken its place. ${notAgain}` },
  failed: { mustNotRetry: false, describe: (result) => reasonOf(result) ?? 'It failed.' },
  denied: {
    mustNotRetry: false,
    describe: (result) => `${reasonOf(result) ?? 'It was not allowed.'} Do not try to get around this.`,
  },
  abandoned: {
    mustNotRetry: true,
    describe: ({ effect }) =>
      `It was told to stop and did not end in time${effect === 'not_started' ? '' : ', so it may still be running'}. ${notAgain}`,
  },
  continues: {
    mustNotRetry: false,
    describe: (_, { owner }) => `Not stopped: it belongs to ${owner} and is still running. ${notAgain}`,
  },
};

/** The wording of a call that was abandoned after its time was over, and that nobody had stopped: the model may try again. */
const overran: Wording = {
  mustNotRetry: false,
  describe(result, { name }, circumstances) {
    const still = result.effect === 'not_started' ? '' : ': perhaps it is still running';
    const ended = `${name} was told to stop${duration(result, circumstances)}, since ${expiredTime(circumstances)}, and did not end${still}.`;
    return `${ended} ${adviceAfterTime(circumstances)}`;
  },
};

const unknownEnd: Wording = { mustNotRetry: false, describe: () => 'How it ended is not known.' };

/** Returns the content of a call's one tool message: its output, or a JSON object with `status`, `effect` and `message`. */
export function resultText(result: ToolResult, call: ToolCall, circumstances: Circumstances): string {
  const { outcome, effect, code, output = '', omitted } = result;
  if (outcome === 'completed') return output || '(no output)';
  const status = outcome === 'cancelled' && effect === 'not_started' ? 'interrupted_before_start' : outcome;
  const isOverrun = outcome === 'abandoned' && circumstances.cause?.source === 'deadline';
  const wording = isOverrun ? overran : lookUp(wordings, status);
  const { mustNotRetry, describe } = wording ?? unknownEnd;
  const effectSentence = lookUp(effectSentences, effect);
  return JSON.stringify({
    status: wording ? status : 'unknown',
    cancelled: mustNotRetry || undefined,
    effect: effectSentence === undefined ? 'unknown' : effect,
    message: `${describe(result, call, circumstances)} ${effectSentence ?? effectSentences.unknown}`,
    code,
    output: output || undefined,
    omitted,
  });
}
