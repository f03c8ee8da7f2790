// A clock whose timers fire one at a time, and a way to act between any two microtasks.
import { monotonicTime } from '../../src/core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../src/core/sources/sources.ts';

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

export class SteppingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 0;

  /** The number of armed timers. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): MonotonicTime {
    return monotonicTime(this.#now);
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.#now + ms, fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  afterPromises(fn: () => void): void {
    queueMicrotask(() => process.nextTick(fn));
  }

  /** Fires the timer that is due first, if it is due within `ms`. Returns whether one was. */
  fireNext(ms: number): boolean {
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (!next || next.at > this.#now + ms) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.fn();
    return true;
  }
}

/** After so many rounds the queue runs empty once: a commit begins only then. More than a step of a turn takes until its next commit. */
const roundsUntilEmpty = 24;

/** The rounds of a step of a turn: until its commit, and after it. */
export const roundsPerStep = 2 * roundsUntilEmpty;

/** Calls `act` before each of the next `count` rounds of the microtask queue. */
export function eachMicrotask(count: number, act: () => void): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const step = () => {
      if (left-- === 0) return resolve();
      act();
      if (left % roundsUntilEmpty === 0) process.nextTick(step);
      else queueMicrotask(step);
    };
    queueMicrotask(step);
  });
}
