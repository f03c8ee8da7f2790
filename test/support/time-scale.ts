// Scales the waits, timeouts and budgets of the tests with the load of the machine.
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

/** The variable that carries the scale from the runner to its workers; set by hand, it is kept. */
const variable = 'TEST_TIME_SCALE';

const looks = 25;
const lookMs = 10;

/** Returns how many threads of other processes run or wait for a core now: the mean of some looks. */
function runningThreads(): number {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let sum = 0;
  for (let look = 0; look < looks; look++) {
    const [, running = 1] = /(\d+)\/\d+/.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
    sum += Number(running) - 1; // this one runs while it looks
    Atomics.wait(pause, 0, 0, lookMs);
  }
  return sum / looks;
}

/** Returns the load of the machine by other processes. The load average still has what ended a minute ago, such as the installation before the tests: it counts only where nothing else tells. */
function loadOfOthers(): number {
  try {
    return runningThreads();
  } catch {
    return loadavg()[0] ?? 0; // there is no /proc
  }
}

/** The runner's own processes are a load too. At least 2, because a wait for a condition costs nothing where it holds early; at most 6, because some tests wait for a budget to run out. */
export function setTimeScale(workers: number): void {
  if (process.env[variable] !== undefined) return;
  const perCore = (loadOfOthers() + workers) / availableParallelism();
  process.env[variable] = String(Math.min(6, Math.max(2, Math.ceil(2 * perCore))));
}

/** The milliseconds of a quiet machine as milliseconds of this one. */
export const scaled = (ms: number): number => ms * Number(process.env[variable] ?? 2);
