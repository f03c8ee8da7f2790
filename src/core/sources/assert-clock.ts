// Checks a clock that a program without a compiler gives.
import type { Clock } from './sources.ts';

const methods: readonly (keyof Clock)[] = ['now', 'elapsed', 'after'];

/** Throws a RangeError that names the method which a clock lacks. `field`: what the clock is, as the beginning of a sentence. */
export function assertClock(field: string, clock: Clock | undefined): void {
  const missing = methods.find((method) => typeof clock?.[method] !== 'function');
  if (missing === undefined) return;
  const problem = clock === undefined ? 'is missing' : `has no method ${missing}`;
  throw new RangeError(
    `${field} ${problem}. Give systemSources.clock, or { ...systemSources.clock } with methods of your own.`,
  );
}
