// The lag of an event loop, from a histogram of the intervals of one timer: of the last whole window and the one under way.

/** Intervals in nanoseconds: the part of `monitorEventLoopDelay` that is used here. */
export interface Intervals {
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  reset(): void;
}

/** How late timers run, in milliseconds: the mean and the worst. */
export interface LagReading {
  readonly lagMs: number;
  readonly worstLagMs: number;
}

const nsPerMs = 1_000_000;
const empty = { count: 0, mean: 0, max: 0 };

/** Keeps two windows of intervals, so that a reading covers at least one whole window. */
export class EventLoopLag {
  readonly #intervals: Intervals;
  readonly #everyMs: number;
  #previous = empty;

  /** `everyMs`: the interval of a timer that is never late. The histogram contains it, a lag does not. */
  constructor(intervals: Intervals, everyMs: number) {
    this.#intervals = intervals;
    this.#everyMs = everyMs;
  }

  /** Starts a new window; the one before the last is forgotten. */
  startWindow(): void {
    this.#previous = this.#snapshot();
    this.#intervals.reset();
  }

  read(): LagReading {
    const previous = this.#previous;
    const current = this.#snapshot();
    const count = previous.count + current.count;
    if (count === 0) return { lagMs: 0, worstLagMs: 0 };
    const mean = (previous.mean * previous.count + current.mean * current.count) / count;
    return { lagMs: this.#lagMs(mean), worstLagMs: this.#lagMs(Math.max(previous.max, current.max)) };
  }

  #snapshot() {
    const { count, mean, max } = this.#intervals;
    return count === 0 ? empty : { count, mean, max }; // the mean of no intervals is NaN
  }

  #lagMs(intervalNs: number): number {
    return Math.max(0, Math.round(intervalNs / nsPerMs - this.#everyMs));
  }
}
