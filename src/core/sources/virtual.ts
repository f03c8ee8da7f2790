// Sources for tests: a clock that moves only by `advance`, and ids and random numbers that repeat.
import { monotonicTime } from './monotonic-time.ts';
import type { Clock, Sources } from './sources.ts';

export interface VirtualClock extends Clock {
  /** Moves the clock by `ms` milliseconds: every timer due by then fires in order, and the promises settle after each. */
  advance(ms: number): Promise<void>;
  /** Moves the clock at once, as a suspension of the host does: every timer due by then fires in order, at the new time. */
  jump(ms: number): Promise<void>;
  /** Sets the time of day forward by `ms` milliseconds, or backward if it is negative, as NTP or an operator does: no time passes, and no timer fires. */
  step(ms: number): void;
  /** The number of timers that have not fired. */
  readonly pending: number;
  afterPromises(fn: () => void): void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/** Resolves when the promises that depend only on each other have settled; those that wait for real I/O have not. */
export async function settlePromises(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Creates a clock that starts at `startAt` (milliseconds since 1970). */
export function createVirtualClock(startAt = 0): VirtualClock {
  let elapsed = 0;
  let dayOffset = startAt;
  let order = 0;
  const timers = new Set<Timer>();
  const nextDue = (until: number): Timer | undefined =>
    [...timers].filter((t) => t.at <= until).sort((a, b) => a.at - b.at || a.order - b.order)[0];
  return {
    now: () => dayOffset + elapsed,
    elapsed: () => monotonicTime(elapsed),
    after(ms, fn) {
      const timer = { at: elapsed + ms, order: order++, fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    afterPromises: (fn) => queueMicrotask(() => process.nextTick(fn)),
    async advance(ms) {
      const until = elapsed + ms;
      await settlePromises();
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.at);
        timer.fn();
        await settlePromises();
      }
      elapsed = until;
    },
    async jump(ms) {
      await settlePromises();
      elapsed += ms;
      for (let timer = nextDue(elapsed); timer; timer = nextDue(elapsed)) {
        timers.delete(timer);
        timer.fn();
        await new Promise((resolve) => setImmediate(resolve)); // the event loop runs late timers without a turn between them
      }
      await settlePromises();
    },
    step(ms) {
      dayOffset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** A random generator (mulberry32): the same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Creates sources whose ids count from 1 for each prefix, and whose random numbers follow from the seed. */
export function createVirtualSources(seed = 1): Sources & { readonly clock: VirtualClock } {
  const counts = new Map<string, number>();
  return {
    clock: createVirtualClock(),
    ids(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
    random: seededRandom(seed),
  };
}
