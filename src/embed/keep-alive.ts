// Keeps the process alive while somebody waits for the runtime, whose own timers do not: a script that awaits a receipt gets it.
import type { Disarm } from '../sources/sources.ts';

export interface Hold {
  /** Until the promise has settled, however it settles. */
  until(promise: Promise<unknown>): void;
}

export function createHold(keepAlive: () => Disarm): Hold {
  let waiting = 0;
  let release: Disarm = () => {};
  const over = () => {
    waiting -= 1;
    if (waiting === 0) release();
  };
  return {
    until(promise) {
      if (waiting === 0) release = keepAlive();
      waiting += 1;
      promise.then(over, over);
    },
  };
}

/** For a runtime under a clock that stands still. */
export const noHold: Hold = { until() {} };
