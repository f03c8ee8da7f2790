// Bounds the time that work takes to end after its signal.
import { abandonedEnded } from '../../../machines/late-facts.ts';
import { afterBudget } from '../live/timers.ts';
import { onAbort } from '../sources/abort-signals.ts';
import type { Disarm } from '../sources/sources.ts';
import type { Job } from './worker.ts';

/**
 * Resolves or rejects with `work`; when its budget of `ms` milliseconds after the job's signal is over, it resolves with `overdue()`.
 * The work itself is not ended by this: the fact `abandoned_ended` names the node when it has ended.
 */
export async function settleWithin<T>(
  work: Promise<T>,
  { services, signal, entry }: Job<'runtime' | 'journal'>,
  ms: number,
  overdue: () => T,
): Promise<T> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<'overdue'>();
  let disarm: Disarm | undefined;
  using _ = onAbort(signal, () => {
    disarm = afterBudget(services.runtime.sources.clock, ms, () => resolve('overdue'));
  });
  try {
    const first = await Promise.race([work.then((end) => ({ end })), timeIsUp]);
    if (first !== 'overdue') return first.end;
    const reportEnd = () => void services.journal.append([abandonedEnded(entry.id)]);
    work.then(reportEnd, reportEnd);
    return overdue();
  } finally {
    disarm?.();
  }
}
