// Bounds the time that work takes to end after its signal.
import { addAbortListener } from 'node:events';
import type { Job } from './worker.ts';

/**
 * Resolves or rejects with `work`; `ms` milliseconds after the job's signal at the latest, it resolves with `overdue()`.
 * The work itself is not ended by this.
 */
export async function settleWithin<T>(
  work: Promise<T>,
  { services, signal }: Job<'runtime'>,
  ms: number,
  overdue: () => T,
): Promise<T> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<T>();
  let disarm = () => {};
  const arm = () => {
    disarm = services.runtime.sources.clock.after(ms, () => resolve(overdue()));
  };
  if (signal.aborted) arm();
  using _ = signal.aborted ? null : addAbortListener(signal, arm);
  try {
    return await Promise.race([work, timeIsUp]);
  } finally {
    disarm();
  }
}
