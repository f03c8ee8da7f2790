// Signals to a program of ours. npm sends its child the SIGINT that the terminal has sent to both: what comes together is one.
import type { Clock } from '../sources/sources.ts';

/** Exit code of a process that was interrupted. */
export const interruptedCode = 130;

/** Nobody presses Ctrl-C twice as fast. */
const togetherMs = 100;

/** Calls `hear` for each of these signals; several that come together count once. */
export function onSignal(clock: Clock, names: readonly NodeJS.Signals[], hear: () => void): void {
  let last = Number.NEGATIVE_INFINITY;
  for (const name of names) {
    process.on(name, () => {
      const now = clock.now();
      if (Math.abs(now - last) < togetherMs) return;
      last = now;
      hear();
    });
  }
}

/** A signal has come while something was being started: it is not wanted any more. */
export class Unwanted extends Error {
  override readonly name = 'Unwanted';
}

export interface Ending {
  end(): Promise<void>;
  /** `end` is to leave out what can be left out: the grace, not the stop. */
  hurry(): void;
}

/**
 * At the first signal calls `end`, and exits with 0 when that has resolved, with 1 when it rejects. At the second calls `hurry`, and
 * exits with 130 when `end` has resolved; at the third exits with 130, whatever is left.
 */
export function exitOnSignal(clock: Clock, { end, hurry }: Ending): void {
  let state: 'running' | 'ending' | 'hurrying' = 'running';
  onSignal(clock, ['SIGINT', 'SIGTERM', 'SIGHUP'], () => {
    if (state === 'hurrying') process.exit(interruptedCode);
    if (state === 'ending') {
      state = 'hurrying';
      return hurry();
    }
    state = 'ending';
    end().then(
      () => process.exit(state === 'hurrying' ? interruptedCode : 0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
