// What the model reads of a call: the plain output of one that completed, and one standard wording for every other end.
//
// 1. "did not run" is said where the effect is `not_started`, and nowhere else.
// 2. `cancelled: true` marks what the model must not call again by itself.
// 3. A log may hold an end that has no word here. It is told as unknown: a throw would make its session unusable for ever.
import { failureCodes } from '../../machines/codes.ts';
import type { ToolCall, ToolResult } from '../../machines/facts.ts';
import type { Cause, Effect, OutcomeKind } from '../../machines/vocabulary.ts';

type Status = Exclude<OutcomeKind, 'completed'> | 'interrupted_before_start';

/** What the log says of a call beside its result. */
export interface Circumstances {
  /** Under which it was stopped; null: it was not. */
  readonly cause: Cause | null;
  /** How long it was allowed to take, where that was over; else null. */
  readonly timeoutMs: number | null;
  /** How much a model may ask for. */
  readonly maxTimeoutMs: number;
}

interface Wording {
  readonly mustNotRetry: boolean;
  words(result: ToolResult, call: ToolCall, circumstances: Circumstances): string;
}

const effectWords: Readonly<Record<Effect, string>> = {
  not_started: 'It did not run.',
  none: 'It had no effects.',
  unknown: 'It may have had effects: find out before anything is repeated.',
  done: 'It had its effects.',
};

const notAgain = 'Do not call it again unless asked to.';
const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/** What stands in a call's arguments for the runtime: also told where the tools are (src/runtime/agent-profiles.ts). */
export const askForTime = (maxMs: number) =>
  `\`"_meta": {"timeout": <milliseconds>}\` among its arguments, ${maxMs} at most`;

/** How to go on when a time was over: another try helps where it was the call's own. */
function afterTime({ timeoutMs, maxTimeoutMs }: Circumstances): string {
  if (timeoutMs === null) return 'Go on without it, or go another way.';
  const more = timeoutMs < maxTimeoutMs ? `, or with more time: ${askForTime(maxTimeoutMs)}` : '';
  return `Go on without it, go another way, or call it again in smaller steps${more}.`;
}

/** `after 2 s`; nothing where it is not known how long it took. */
function duration({ ms }: ToolResult, { timeoutMs }: Circumstances): string {
  const took = timeoutMs ?? ms;
  return took === undefined ? '' : ` after ${seconds(took)}`;
}

/** Which time was over: a person's, a turn's, or the call's own. */
function whatWasOver({ timeoutMs, cause }: Circumstances): string {
  const reason = timeoutMs === null && cause?.source === 'deadline' ? cause.reason : null;
  return reason?.replace(/\d+ ms/g, (ms) => seconds(Number.parseInt(ms, 10))) ?? 'its time was over';
}

/** The sentence of a code from docs/errors.md. */
export const sentenceOf = (code: string): string | undefined =>
  (failureCodes as Readonly<Record<string, string>>)[code];
const reasonOf = ({ code, message }: ToolResult): string | undefined => message || (code && sentenceOf(code));

const wordings: Readonly<Record<Status, Wording>> = {
  cancelled: { mustNotRetry: true, words: () => `Cancelled while it ran. ${notAgain}` },
  interrupted_before_start: { mustNotRetry: true, words: () => `Cancelled before it started. ${notAgain}` },
  timed_out: {
    mustNotRetry: false,
    words: (result, { name }, about) =>
      `${name} was stopped${duration(result, about)}: ${whatWasOver(about)}. ${afterTime(about)}`,
  },
  superseded: { mustNotRetry: true, words: () => `Stopped because a newer call has taken its place. ${notAgain}` },
  failed: { mustNotRetry: false, words: (result) => reasonOf(result) ?? 'It failed.' },
  denied: {
    mustNotRetry: false,
    words: (result) => `${reasonOf(result) ?? 'It was not allowed.'} Do not try to get around this.`,
  },
  abandoned: {
    mustNotRetry: true,
    words: ({ effect }) =>
      `It was told to stop and did not end in time${effect === 'not_started' ? '' : ', so it may still be running'}. ${notAgain}`,
  },
  continues: {
    mustNotRetry: false,
    words: (_, { owner }) => `Not stopped: it belongs to ${owner} and is still running. ${notAgain}`,
  },
};

/** Abandoned, and nobody had stopped it but its time: the model may try again. */
const overran: Wording = {
  mustNotRetry: false,
  words(result, { name }, about) {
    const still = result.effect === 'not_started' ? '' : ': perhaps it is still running';
    const told = `${name} was told to stop${duration(result, about)}, since ${whatWasOver(about)}, and did not end${still}.`;
    return `${told} ${afterTime(about)}`;
  },
};

const unknown: Wording = { mustNotRetry: false, words: () => 'How it ended is not known.' };

/** By a key that comes from a log, whatever that holds. */
const known = <Value>(words: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(words, key) ? words[key] : undefined;

/** The content of a call's one tool message: its output, or a JSON object with `status`, `effect` and `message`. */
export function resultText(result: ToolResult, call: ToolCall, circumstances: Circumstances): string {
  const { outcome, effect, code, output = '', omitted } = result;
  if (outcome === 'completed') return output || '(no output)';
  const status = outcome === 'cancelled' && effect === 'not_started' ? 'interrupted_before_start' : outcome;
  const isOverrun = outcome === 'abandoned' && circumstances.cause?.source === 'deadline';
  const wording = isOverrun ? overran : known(wordings, status);
  const { mustNotRetry, words } = wording ?? unknown;
  const said = known(effectWords, effect);
  return JSON.stringify({
    status: wording ? status : 'unknown',
    ...(mustNotRetry && { cancelled: true }),
    effect: said === undefined ? 'unknown' : effect,
    message: `${words(result, call, circumstances)} ${said ?? effectWords.unknown}`,
    ...(code !== undefined && { code }),
    ...(output !== '' && { output }),
    ...(omitted !== undefined && { omitted }),
  });
}
