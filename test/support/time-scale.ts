// Scales the waits, timeouts and budgets of the tests with the load of the machine.
import { availableParallelism, loadavg } from 'node:os';

/** The variable that carries the scale from the runner to its workers; set by hand, it is kept. */
const variable = 'TEST_TIME_SCALE';

/** The runner's own processes are a load too. At least 2, because a wait for a condition costs nothing where it holds early; at most 6, because some tests wait for a budget to run out. */
export function setTimeScale(workers: number): void {
  const perCore = ((loadavg()[0] ?? 0) + workers) / availableParallelism();
  process.env[variable] ??= String(Math.min(6, Math.max(2, Math.ceil(2 * perCore))));
}

/** The milliseconds of a quiet machine as milliseconds of this one. */
export const scaled = (ms: number): number => ms * Number(process.env[variable] ?? 2);
