// Formats outcomes, effects and durations for the terminal.

import type { Effect, Finish, OutcomeKind } from '../../machines/vocabulary.ts';
import { truncate } from '../core/text/bound-text.ts';
import { makePrintable } from '../core/text/printable.ts';

/** Characters of arguments, messages and answers in a line. */
const maxChars = 72;

/** Formats a text as one safe line, cut after `limit` characters. */
export const shorten = (text: string, limit = maxChars): string =>
  truncate(makePrintable(text).replace(/\s+/g, ' ').trim(), limit);

/** Formats milliseconds as seconds with one decimal. */
export const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Formats the call that another one waits for, like `ann's shell (call_3) in room-a`. `speaker`: who reads it. */
export function awaitedText(awaited: AwaitedText, speaker: string): string {
  const { node, name, owner, session } = awaited;
  const whose = owner === speaker ? 'your' : `${owner}'s`;
  return `${whose} ${name ?? 'call'} (${node})${session ? ` in ${session}` : ''}`;
}

interface AwaitedText {
  readonly node: string;
  readonly name: string | null;
  readonly owner: string;
  readonly session?: string | null;
}

/** Formats milliseconds as they are below a second, and as seconds with one decimal above it. */
export const durationText = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : secondsText(ms));

/** The outcome of a call, turn or sub-agent, as its frame has it. */
export interface EndedWork {
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly forced?: boolean | undefined;
  /** The duration in milliseconds. */
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
/** Null: nothing is to be said about it. */
const finishTexts: Readonly<Record<Finish, string | null>> = {
  stop: null,
  tool_calls: null,
  length: 'the answer ends here: it has reached its longest length (length)',
  content_filter: "the provider's filter has ended the answer (content_filter)",
  refusal: 'the model has refused (refusal)',
  empty: 'the model has answered with nothing (empty)',
  reasoning_only: 'the model has reasoned, and answered with nothing (reasoning_only)',
};

/** Returns what is to be said about a completed answer; null: nothing. */
export const finishText = (finish: Finish | undefined): string | null =>
  finish === undefined ? null : finishTexts[finish];

const stoppedOutcomes: readonly OutcomeKind[] = ['cancelled', 'timed_out', 'superseded'];

/** Whether an outcome means that the work was stopped before it was complete, and has ended. */
export const hasStopped = (outcome: OutcomeKind): boolean => stoppedOutcomes.includes(outcome);

/** Formats an end: its outcome, duration, reason and effect, like `cancelled by force after 1.2 s; it may have had effects`. */
export function outcomeText({ outcome, effect, code, message, forced, ms }: EndedWork): string {
  const how = forced ? ' by force' : '';
  const duration = ms === undefined || outcome === 'continues' ? '' : ` after ${secondsText(ms)}`;
  return `${outcomes[outcome]}${how}${duration}${reasonText(code, message)}${consequenceText(outcome, effect)}`;
}

/** Formats the end of a node in a receipt, like `stopped in 48 ms (ran 3.1 s)`. `ms`: since the cancel. `ranMs`: since its start; null: not known. */
export function receiptText(node: EndedWork & { readonly ms: number }, ranMs: number | null): string {
  const { outcome, effect, forced, ms, ...reason } = node;
  if (outcome === 'abandoned') return `not stopped within ${durationText(ms)}, its end will be reported`;
  if (outcome === 'completed') return 'had completed';
  if (!hasStopped(outcome)) return outcomeText({ outcome, effect, ...reason });
  const why = outcome === 'cancelled' ? '' : `${outcomes[outcome]}, `;
  if (effect === 'not_started') return `${why}stopped before it started`;
  return `${why}stopped${forced ? ' by force' : ''} in ${durationText(ms)}${ranText(ranMs)}${effects[effect]}`;
}

/** Formats how long work has run, in brackets; empty if that is not known. */
export const ranText = (ms: number | null): string => (ms === null ? '' : ` (ran ${durationText(ms)})`);

/** What an endpoint says is shown whole: the remedy stands at its end. */
const maxCharsOf = (code: string): number => (code.startsWith('model_') ? Number.POSITIVE_INFINITY : maxChars);

function reasonText(code: string | undefined, message: string | undefined): string {
  if (code === undefined) return '';
  return message ? `: ${shorten(message, maxCharsOf(code))} (${code})` : ` (${code})`;
}

function consequenceText(outcome: OutcomeKind, effect: Effect): string {
  if (outcome === 'abandoned') return ': it has not stopped yet, and its end will be reported';
  return hasStopped(outcome) ? effects[effect] : '';
}
