// The time of day in parts of a millisecond: a CANCEL reaches all machines within one.

interface ClockReadings {
  /** Whole milliseconds since 1970. */
  readonly coarse: () => number;
  /** Milliseconds since any moment, with their parts; they never go back. */
  readonly running: () => number;
}

/**
 * Returns a clock whose time is in the millisecond of the coarse one, with the parts of the running one. So its times can be compared with those of facts, and
 * a time of day that is set anew, or a suspended host, changes both.
 */
export function createFineClock({ coarse, running }: ClockReadings): { now(): number } {
  let offset = coarse() - running();
  return {
    now() {
      const ms = coarse();
      const fine = running() + offset;
      if (fine >= ms && fine < ms + 1) return fine;
      const nearest = fine < ms ? ms : ms + lastPart;
      offset += nearest - fine;
      return nearest;
    },
  };
}

const lastPart = 0.999;
