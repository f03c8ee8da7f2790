// The timers of live nodes: one that pauses while a call waits for a person, and one that counts a budget.
import { afterTurns } from '../sources/loop-turns.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';

/** Several calls can pause it at once. */
export class PausableTimer {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  #leftMs: number;
  #runningSince: MonotonicTime;
  #pauses = 0;
  #state: 'on' | 'stopped' = 'on';
  #disarm: Disarm = () => {};

  /** Calls `onExpired` once, `ms` milliseconds from now, pauses not counted; 0: never. */
  constructor(clock: Clock, ms: number, onExpired: () => void) {
    this.#clock = clock;
    this.#runningSince = clock.elapsed();
    this.#leftMs = ms;
    this.#onExpired = onExpired;
    if (ms === 0) this.#state = 'stopped';
    else this.#run();
  }

  /** Pauses the timer until `resume` has been called as often as `pause`. */
  pause(): void {
    if (this.#state === 'stopped' || this.#pauses++ > 0) return;
    this.#disarm();
    this.#leftMs -= msSince(this.#clock, this.#runningSince);
  }

  resume(): void {
    if (this.#state === 'on' && --this.#pauses === 0) this.#run();
  }

  /** Disarms the timer for good. */
  stop(): void {
    this.#state = 'stopped';
    this.#disarm();
  }

  #run(): void {
    this.#runningSince = this.#clock.elapsed();
    this.#disarm = this.#clock.after(Math.max(0, this.#leftMs), this.#onExpired);
  }
}

/** Milliseconds between two readings of the clock: a gap is measured as exactly as that. */
const stepMs = 50;
const longestGapMs = 250;
const longestInBudgets = 3;

/**
 * Runs `fn` once, when `ms` milliseconds have counted: for work whose end the event loop reads. While that stands still, no end can be read.
 *
 * 1. A gap of the event loop counts as 250 ms at most. After three budgets of real time the budget is over all the same.
 * 2. When it is over, the event loop first reads what has happened.
 */
export function afterBudget(clock: Clock, ms: number, fn: () => void): Disarm {
  const startedAt = clock.elapsed();
  let disarm: Disarm;
  const count = (countedMs: number) => {
    const steppedAt = clock.elapsed();
    const leftMs = Math.min(ms - countedMs, longestInBudgets * ms - msSince(clock, startedAt));
    const next = () => count(countedMs + Math.min(msSince(clock, steppedAt), longestGapMs));
    disarm = leftMs > 0 ? clock.after(Math.min(leftMs, stepMs), next) : afterTurns(clock, fn);
  };
  count(0);
  return () => disarm();
}
