// Keeps the process alive while sessions are recovered or shut down: the timers of the clock do not.
import type { Clock } from '../sources/sources.ts';
import { keepAlive, systemSources } from '../sources/system.ts';

/** Keeps the process alive until the work settles, and settles as the work does. Under another clock than the system's it keeps nothing alive. */
export function keepingAlive<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const release = clock === systemSources.clock ? keepAlive() : () => {};
  return work().finally(release);
}
