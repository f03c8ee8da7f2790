// How much longer than on a quiet machine a test waits: every wait, timeout and budget of the tests is multiplied by it.
import { availableParallelism, loadavg } from 'node:os';

/** The variable that carries the scale from the runner to its workers; set by hand, it is kept. */
const variable = 'TEST_TIME_SCALE';

/** The runner's own processes are a load too. At least 2: a wait for a condition costs nothing where the condition holds early. */
export function setTimeScale(workers: number): void {
  const perCore = ((loadavg()[0] ?? 0) + workers) / availableParallelism();
  process.env[variable] ??= String(Math.max(2, Math.ceil(2 * perCore)));
}

/** The milliseconds of a quiet machine as milliseconds of this one. */
export const scaled = (ms: number): number => ms * Number(process.env[variable] ?? 2);
