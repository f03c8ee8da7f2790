// Does long work in slices, between which the event loop turns: sockets are read, and stops are decided.
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';

/** The cost of a slice, in bytes that are read or written; about 10 ms of work. */
const sliceCost = 1_048_576;

/** The cost of a step that walks one fact, whatever its texts are. */
export const factCost = 2_048;

/** Steps of some work, each with its cost, and the result at their end. */
export type Steps<Result> = Generator<number, Result, void>;

/** Resolves with the result of the steps. Rejects when one throws. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (let cost = 0; ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    cost += step.value;
    if (cost < sliceCost) continue;
    cost = 0;
    await nextTurnOfLoop();
  }
}
