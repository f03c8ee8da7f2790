// Keeps the process alive while sessions are recovered or shut down: the timers of the clock let it end.
import type { Clock } from '../sources/sources.ts';
import { keepAlive, systemSources } from '../sources/system.ts';

/** Settles as the work does. Without effect under another clock than the system's. */
export function keepingAlive<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const release = clock === systemSources.clock ? keepAlive() : () => {};
  return work().finally(release);
}
