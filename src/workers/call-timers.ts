// The timers of what a call has set to work: its timeout, which sends a CANCEL like any other, and its progress, told every few seconds.
import { startStopwatch } from '../live/pausable-timer.ts';
import type { Entry } from '../live/tree.ts';
import type { Plane } from './services.ts';

/** `timeoutMs` 0: it may take for ever. Returns the way to end both. */
export function startTimers(entry: Entry, timeoutMs: number, plane: Plane): () => void {
  const endProgress = startProgress(entry, plane);
  const stopwatch = startStopwatch(plane.sources.clock, timeoutMs, () => plane.timeOut(entry.id, timeoutMs));
  entry.stopwatch = stopwatch;
  return () => {
    stopwatch.end();
    endProgress();
  };
}

/** Of an abandoned call there is none: its turn has ended. */
function startProgress(entry: Entry, { limits, outlet, sources: { clock } }: Plane): () => void {
  const began = clock.now();
  let disarm = () => {};
  const arm = () => {
    disarm = clock.after(limits.progressMs, () => {
      if (entry.state === 'settled') return;
      outlet.progress(entry.id, clock.now() - began);
      arm();
    });
  };
  arm();
  return () => disarm();
}
