// The timers of a call at work: its timeout, which sends a CANCEL like any other, and its progress, published every few seconds.
import type { NodeEntry } from '../live/node-entry.ts';
import { PausableTimer } from '../live/timers.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Services } from './services.ts';

/** Starts both. `timeoutMs` 0: no timeout. Disposing the result stops them. */
export function startCallTimers(
  entry: NodeEntry,
  timeoutMs: number,
  { runtime, inbox, text }: Pick<Services, 'runtime' | 'inbox' | 'text'>,
): Disposable {
  const { sources, limits } = runtime;
  const { clock } = sources;
  const startedAt = clock.elapsed();
  const timeout = new PausableTimer(clock, timeoutMs, () => inbox.timeOut(entry.id, timeoutMs));
  entry.timer = timeout;
  let disarm = () => {};
  const armProgress = () => {
    disarm = clock.after(limits.progressMs, () => {
      if (entry.isSettled) return; // abandoned: its turn has ended
      text.progress({
        node: entry.id,
        ...(entry.name !== null && { name: entry.name }),
        elapsedMs: msSince(clock, startedAt),
      });
      armProgress();
    });
  };
  armProgress();
  return {
    [Symbol.dispose]() {
      timeout.stop();
      disarm();
    },
  };
}
