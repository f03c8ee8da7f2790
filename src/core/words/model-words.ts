// The words for the codes of ends and effects as a model reads them: in the results of its calls, and in notes of the runtime.
//
// 1. Each table is total over its codes, like those in receipt-words.ts.
// 2. A log of a later version may have a code that is not here. It gets the words for an unknown one: an exception would make the session unusable.
import { failureCodes } from '../../../machines/codes.ts';
import type { Effect, OutcomeKind } from '../../../machines/vocabulary.ts';
import { measuredText } from './durations.ts';
import { lookUp } from './look-up.ts';

/** Returns the sentence of a failure code, as in docs/errors.md. */
export const failureSentence = (code: string): string | undefined => lookUp<string>(failureCodes, code);

// -- the end of a call

/** A call that did not complete, as far as its words need it. */
export interface EndedCall {
  readonly name: string;
  readonly owner: string;
  readonly effect: Effect;
  /** Why it failed or was denied; undefined: nothing says it. */
  readonly reason: string | undefined;
  /** How long it took, in milliseconds; undefined: not known. */
  readonly tookMs: number | undefined;
  /** The time limit that has expired, as a clause. */
  readonly expiry: string;
  /** What the model can do after an expired time limit, in sentences. */
  readonly advice: string;
}

interface EndWords {
  /** Whether the model must not repeat the call unless it is asked to. */
  readonly mustNotRetry: boolean;
  describe(call: EndedCall): string;
}

const doNotRepeat = 'Do not call it again unless asked to.';

/** Returns ` after 2 s`; an empty text if it is not known how long the call took. */
const afterDuration = ({ tookMs }: EndedCall): string => (tookMs === undefined ? '' : ` after ${measuredText(tookMs)}`);

/** The ends of calls: the outcomes, but for a cancelled call that had not started, and for an abandoned one whose time was over. */
const ends: Readonly<Record<Exclude<OutcomeKind, 'completed'> | 'interrupted_before_start' | 'overrun', EndWords>> = {
  cancelled: { mustNotRetry: true, describe: () => `Cancelled while it ran. ${doNotRepeat}` },
  interrupted_before_start: { mustNotRetry: true, describe: () => `Cancelled before it started. ${doNotRepeat}` },
  timed_out: {
    mustNotRetry: false,
    describe: (call) => `${call.name} was stopped${afterDuration(call)}: ${call.expiry}. ${call.advice}`,
  },
  superseded: {
    mustNotRetry: true,
    describe: () => `Stopped because a newer call has taken its place. ${doNotRepeat}`,
  },
  failed: { mustNotRetry: false, describe: ({ reason }) => reason ?? 'It failed.' },
  denied: {
    mustNotRetry: false,
    describe: ({ reason }) => `${reason ?? 'It was not allowed.'} Do not try to get around this.`,
  },
  abandoned: {
    mustNotRetry: true,
    describe: ({ effect }) =>
      `It was told to stop and did not end in time${effect === 'not_started' ? '' : ', so it may still be running'}. ${doNotRepeat}`,
  },
  overrun: {
    mustNotRetry: false,
    describe(call) {
      const still = call.effect === 'not_started' ? '' : ': perhaps it is still running';
      return `${call.name} was told to stop${afterDuration(call)}, since ${call.expiry}, and did not end${still}. ${call.advice}`;
    },
  },
  continues: {
    mustNotRetry: false,
    describe: ({ owner }) => `Not stopped: it is still running. It belongs to ${owner}. ${doNotRepeat}`,
  },
};

/** How a call ended, as the model reads it. */
export interface DescribedEnd {
  /** An outcome, `interrupted_before_start`, or `unknown`. */
  readonly status: string;
  readonly mustNotRetry: boolean;
  readonly text: string;
}

/** Describes how a call ended. `isOverrun`: its stop followed an expired time limit, and not a cancel: the model may try again. */
export function describeEnd(outcome: OutcomeKind, isOverrun: boolean, call: EndedCall): DescribedEnd {
  const status = outcome === 'cancelled' && call.effect === 'not_started' ? 'interrupted_before_start' : outcome;
  const words = lookUp(ends, outcome === 'abandoned' && isOverrun ? 'overrun' : status);
  if (!words) return { status: 'unknown', mustNotRetry: false, text: 'How it ended is not known.' };
  return { status, mustNotRetry: words.mustNotRetry, text: words.describe(call) };
}

// -- effects

/** The headings of calls in a note, in their order. */
export const callHeadings = [
  'Completed',
  'Not stopped, it ran on',
  'Told to stop, and still not ended',
  'Did not run',
  'Had no effects',
  'May have had effects',
] as const;
export type CallHeading = (typeof callHeadings)[number];

interface EffectWords {
  readonly sentence: string;
  readonly heading: CallHeading;
}

const effects: Readonly<Record<Effect, EffectWords>> = {
  not_started: { sentence: 'It did not run.', heading: 'Did not run' },
  none: { sentence: 'It had no effects.', heading: 'Had no effects' },
  unknown: {
    sentence: 'It may have had effects: find out before anything is repeated.',
    heading: 'May have had effects',
  },
  done: { sentence: 'It had its effects.', heading: 'May have had effects' },
};

/** Describes an effect in a sentence. A code that is not known is `unknown`. */
export function describeEffect(effect: Effect): { readonly effect: Effect; readonly sentence: string } {
  const words = lookUp(effects, effect);
  return words ? { effect, sentence: words.sentence } : { effect: 'unknown', sentence: effects.unknown.sentence };
}

/** The heading of an outcome; null: the effect of the call has its heading. */
const outcomeHeadings: Readonly<Record<OutcomeKind, CallHeading | null>> = {
  completed: 'Completed',
  cancelled: null,
  timed_out: null,
  superseded: null,
  failed: null,
  denied: null,
  abandoned: 'Told to stop, and still not ended',
  continues: 'Not stopped, it ran on',
};

/** Returns the heading of a call. `outcome`: null: its effect alone counts. */
export const headingOf = (outcome: OutcomeKind | null, effect: Effect): CallHeading =>
  (outcome === null ? null : lookUp(outcomeHeadings, outcome)) ??
  lookUp(effects, effect)?.heading ??
  effects.unknown.heading;
