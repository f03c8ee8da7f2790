// What the model reads of a call: the plain output of one that completed, and one standard wording for every other end.
//
// 1. "did not run" is said where the effect is `not_started`, and nowhere else.
// 2. `cancelled: true` marks what the model must not call again by itself.
// 3. A log may hold an end that has no word here. It is told as unknown: a throw would make its session unusable for ever.
import { failureCodes } from '../../machines/codes.ts';
import type { ToolCall, ToolResult } from '../../machines/facts.ts';
import type { Effect, OutcomeKind } from '../../machines/vocabulary.ts';

type Status = Exclude<OutcomeKind, 'completed'> | 'interrupted_before_start';

interface Wording {
  readonly mustNotRetry: boolean;
  words(result: ToolResult, call: ToolCall): string;
}

const effectWords: Readonly<Record<Effect, string>> = {
  not_started: 'It did not run.',
  none: 'It had no effects.',
  unknown: 'It may have had effects: find out before anything is repeated.',
  done: 'It had its effects.',
};

const notAgain = 'Do not call it again unless asked to.';
const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/** The sentence of a code from docs/errors.md. */
export const sentenceOf = (code: string): string | undefined =>
  (failureCodes as Readonly<Record<string, string>>)[code];
const reasonOf = ({ code, message }: ToolResult): string | undefined => message || (code && sentenceOf(code));

const wordings: Readonly<Record<Status, Wording>> = {
  cancelled: { mustNotRetry: true, words: () => `Cancelled while it ran. ${notAgain}` },
  interrupted_before_start: { mustNotRetry: true, words: () => `Cancelled before it started. ${notAgain}` },
  timed_out: {
    mustNotRetry: false,
    words({ ms }, { name }) {
      const after = ms === undefined ? '' : ` after ${seconds(ms)}`;
      return `${name} was stopped${after}: its time was over. Go on without it, ask for less at once, or go another way.`;
    },
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

const unknown: Wording = { mustNotRetry: false, words: () => 'How it ended is not known.' };

/** By a key that comes from a log, whatever that holds. */
const known = <Value>(words: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(words, key) ? words[key] : undefined;

/** The content of a call's one tool message: its output, or a JSON object with `status`, `effect` and `message`. */
export function resultText(result: ToolResult, call: ToolCall): string {
  const { outcome, effect, code, output = '', omitted } = result;
  if (outcome === 'completed') return output || '(no output)';
  const status = outcome === 'cancelled' && effect === 'not_started' ? 'interrupted_before_start' : outcome;
  const wording = known(wordings, status);
  const { mustNotRetry, words } = wording ?? unknown;
  const said = known(effectWords, effect);
  return JSON.stringify({
    status: wording ? status : 'unknown',
    ...(mustNotRetry && { cancelled: true }),
    effect: said === undefined ? 'unknown' : effect,
    message: `${words(result, call)} ${said ?? effectWords.unknown}`,
    ...(code !== undefined && { code }),
    ...(output !== '' && { output }),
    ...(omitted !== undefined && { omitted }),
  });
}
