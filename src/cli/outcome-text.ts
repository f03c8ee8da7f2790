// The standard words for outcomes, effects and durations, and text that is safe to print.
import type { Effect, OutcomeKind } from '../../machines/vocabulary.ts';

/** Characters of arguments, messages and answers in a line. */
const maxChars = 72;

/** The text without control sequences: text from elsewhere must not steer the terminal. */
export const stripControls = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');

/** The printable text in one line, cut where it is too long. */
export function shorten(text: string): string {
  const line = stripControls(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars)}…`;
}

/** Milliseconds as seconds with one decimal. */
export const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export interface EndedWork {
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly forced?: boolean | undefined;
  readonly ms?: number | undefined;
}

const outcomes: Readonly<Record<OutcomeKind, string>> = {
  completed: 'completed',
  cancelled: 'cancelled',
  timed_out: 'timed out',
  superseded: 'superseded by a newer call',
  failed: 'failed',
  denied: 'denied',
  abandoned: 'abandoned',
  continues: 'not stopped: it belongs to another and is still running',
};
const effects: Readonly<Record<Effect, string>> = {
  not_started: '; it had not started',
  none: '',
  unknown: '; it may have had effects',
  done: '',
};
const stoppedOutcomes: readonly OutcomeKind[] = ['cancelled', 'timed_out', 'superseded'];

/** Whether something was stopped before its own end. */
export const isStopped = (outcome: OutcomeKind): boolean => stoppedOutcomes.includes(outcome);

/** How a call or turn has ended: its outcome, duration, reason and effect. */
export function outcomeText({ outcome, effect, code, message, forced, ms }: EndedWork): string {
  const how = forced ? ' by force' : '';
  const duration = ms === undefined || outcome === 'continues' ? '' : ` after ${secondsText(ms)}`;
  const reason = code === undefined ? '' : message ? `: ${shorten(message)} (${code})` : ` (${code})`;
  const consequence =
    outcome === 'abandoned'
      ? ': it has not stopped yet, and its end will be reported'
      : isStopped(outcome)
        ? effects[effect]
        : '';
  return `${outcomes[outcome]}${how}${duration}${reason}${consequence}`;
}
