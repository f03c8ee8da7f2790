// Waits for a time, or until a signal fires.
import type { Clock } from './sources.ts';

/** Leaves neither timer nor listener. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      disarm();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const disarm = clock.after(ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
