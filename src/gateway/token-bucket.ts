// A token bucket: how often something may happen, and how much of it at once.
import type { Clock } from '../sources/sources.ts';

export interface Bucket {
  /** Takes a token; false when there is none. */
  take(): boolean;
}

export function createBucket(clock: Clock, { perSecond, burst }: { perSecond: number; burst: number }): Bucket {
  let tokens = burst;
  let last = clock.now();
  return {
    take() {
      const now = clock.now();
      // a clock that was set back refills nothing
      tokens = Math.min(burst, tokens + (Math.max(0, now - last) / 1_000) * perSecond);
      last = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
