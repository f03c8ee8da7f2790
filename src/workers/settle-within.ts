// Bounds the time that work takes to end after its signal.
import { addAbortListener } from 'node:events';
import { abandonedEnded } from '../../machines/late-facts.ts';
import type { Job } from './worker.ts';

/**
 * Resolves or rejects with `work`; `ms` milliseconds after the job's signal at the latest, it resolves with `overdue()`.
 * The work itself is not ended by this: the fact `abandoned_ended` names the node when it has ended.
 */
export async function settleWithin<T>(
  work: Promise<T>,
  { services, signal, entry }: Job<'runtime' | 'journal'>,
  ms: number,
  overdue: () => T,
): Promise<T> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<'overdue'>();
  let disarm = () => {};
  const arm = () => {
    disarm = services.runtime.sources.clock.after(ms, () => resolve('overdue'));
  };
  if (signal.aborted) arm();
  using _ = signal.aborted ? null : addAbortListener(signal, arm);
  try {
    const first = await Promise.race([work.then((end) => ({ end })), timeIsUp]);
    if (first !== 'overdue') return first.end;
    const reportEnd = () => void services.journal.append([abandonedEnded(entry.id)]);
    work.then(reportEnd, reportEnd);
    return overdue();
  } finally {
    disarm();
  }
}
