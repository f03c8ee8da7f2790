// The clock of the page. Nothing else in this folder reads a clock or sets a timer.

import { monotonicTime } from '../../core/sources/monotonic-time.ts';
import type { MonotonicTime } from '../../core/sources/sources.ts';

/** Disarms a timer; does nothing after it has fired. */
export type StopTimer = () => void;

export const pageClock = {
  /** Milliseconds since 1970, for what is shown or saved. */
  now: (): number => Date.now(),

  /** The time since the page was opened: no step of the time of day changes it. */
  elapsed: (): MonotonicTime => monotonicTime(performance.now()),

  /** Runs `fn` once, `ms` milliseconds from now. */
  after(ms: number, fn: () => void): StopTimer {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },

  /** Runs `fn` every `ms` milliseconds. */
  every(ms: number, fn: () => void): StopTimer {
    const timer = setInterval(fn, ms);
    return () => clearInterval(timer);
  },
} as const;
