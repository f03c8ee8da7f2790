// Counts the armed timers of a clock with the system's time.
import type { Clock } from '../core/sources/sources.ts';
import { systemSources } from '../core/sources/system.ts';

export interface CountedClock extends Clock {
  /** The timers that have neither fired nor been disarmed. */
  readonly pending: number;
}

/** Creates a clock with the system's time. */
export function createCountedClock(): CountedClock {
  const { now, elapsed, after } = systemSources.clock;
  const armed = new Set<object>();
  return {
    now,
    elapsed,
    after(ms, fn) {
      const timer = {};
      armed.add(timer);
      const disarm = after(ms, () => {
        armed.delete(timer);
        fn();
      });
      return () => {
        armed.delete(timer);
        disarm();
      };
    },
    get pending() {
      return armed.size;
    },
  };
}
