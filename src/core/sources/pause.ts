// Waits for a time, or until a signal fires.
import { addAbortListener } from 'node:events';
import type { Clock } from './sources.ts';

/** Resolves after `ms` milliseconds, or as soon as the signal fires, if there is one. Leaves neither timer nor listener. */
export async function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const disarm = clock.after(ms, resolve);
  using _ =
    signal &&
    addAbortListener(signal, () => {
      disarm();
      resolve();
    });
  await promise;
}
