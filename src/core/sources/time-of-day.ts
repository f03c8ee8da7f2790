// Waits for a time of day, which may be set forward or backward meanwhile.
import type { Clock, Disarm } from './sources.ts';

/** How often the time of day is read while it is waited for, in milliseconds: a step forward is noticed by then. */
const readEveryMs = 5_000;

/** Runs `fn` once, when the time of day is `at` (milliseconds since 1970) or later. Never runs it in the tick of the call. */
export function atTimeOfDay(clock: Clock, at: number, fn: () => void): Disarm {
  let disarm: Disarm = () => {};
  const wait = () => {
    const leftMs = Math.max(0, at - clock.now());
    disarm = clock.after(Math.min(leftMs, readEveryMs), () => (clock.now() < at ? wait() : fn()));
  };
  wait();
  return () => disarm();
}
