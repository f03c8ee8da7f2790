// A time that runs out, and stands still as long as a person is waited for, be it by several at once.
import type { Clock } from '../sources/sources.ts';

export interface Stopwatch {
  /** Somebody waits for a person: each `pause` is ended by a `resume`. */
  pause(): void;
  resume(): void;
  /** It never rings any more. */
  end(): void;
}

/** `ms` 0: it never rings. */
export function startStopwatch(clock: Clock, ms: number, ring: () => void): Stopwatch {
  let left = ms;
  let since = clock.now();
  let pauses = 0;
  let disarm = () => {};
  const run = () => {
    since = clock.now();
    disarm = clock.after(Math.max(0, left), ring);
  };
  const halt = () => {
    disarm();
    left -= clock.now() - since;
  };
  if (ms === 0) return { pause() {}, resume() {}, end() {} };
  run();
  let state: 'on' | 'over' = 'on';
  return {
    pause() {
      if (state === 'on' && pauses++ === 0) halt();
    },
    resume() {
      if (state === 'on' && --pauses === 0) run();
    },
    end() {
      state = 'over';
      disarm();
    },
  };
}
