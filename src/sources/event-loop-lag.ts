// How late a process runs its timers: read from a histogram of the intervals of one timer, for the last whole window and the one under way.

/** Of intervals, in nanoseconds: what `monitorEventLoopDelay` gives. */
export interface Intervals {
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  reset(): void;
}

/** In milliseconds: the mean and the worst. */
export interface Lag {
  readonly lagMs: number;
  readonly worstLagMs: number;
}

const nsPerMs = 1_000_000;
const nothing = { count: 0, mean: 0, max: 0 };

/** `everyMs`: how long an interval is where nothing is late. The histogram counts it in, a lag does not. */
export function createLag(intervals: Intervals, everyMs: number) {
  let before = nothing;
  const now = () => {
    const { count, mean, max } = intervals;
    return count === 0 ? nothing : { count, mean, max }; // of none the mean is no number
  };
  const late = (ns: number) => Math.max(0, Math.round(ns / nsPerMs - everyMs));
  return {
    /** Begins a new window. */
    turn(): void {
      before = now();
      intervals.reset();
    },
    read(): Lag {
      const current = now();
      const count = before.count + current.count;
      if (count === 0) return { lagMs: 0, worstLagMs: 0 };
      const mean = (before.mean * before.count + current.mean * current.count) / count;
      return { lagMs: late(mean), worstLagMs: late(Math.max(before.max, current.max)) };
    },
  };
}
