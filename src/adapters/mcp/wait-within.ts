// Waits for work that never rejects, within a limit.
import type { Clock } from '../../core/sources/sources.ts';

/** Resolves with the work, or after `ms` milliseconds; infinity: no limit. */
export async function waitWithin(work: Promise<void>, ms: number, clock: Clock): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) return work;
  const overdue = Promise.withResolvers<void>();
  const disarm = clock.after(ms, overdue.resolve);
  await Promise.race([work, overdue.promise]);
  disarm();
}
