// Waits for a time, or until a signal fires.
import { addAbortListener } from 'node:events';
import type { Clock } from './sources.ts';

/** Resolves after `ms` milliseconds, or as soon as the signal fires. Leaves neither timer nor listener. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const disarm = clock.after(ms, resolve);
  using _ = addAbortListener(signal, () => {
    disarm();
    resolve();
  });
  await promise;
}
