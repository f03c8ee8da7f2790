// The elapsed time of a node: counting and colored while it runs, still and muted when it is over.

import { durationText, paceOf, runningText } from '../../client/view/durations.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { useSeconds } from '../page-state/ticker.ts';

interface ElapsedProps {
  /** When it started, by the clock of the gateway; null: it has not. */
  readonly startedAt: number | null;
  /** `running`: it counts. `stopped`: it was cancelled, and is muted. */
  readonly state: 'running' | 'done' | 'stopped';
  /** How long it took in the end, in milliseconds; null: not known. */
  readonly totalMs: number | null;
}

/** The seconds since the start: green under 10 s, amber to 30 s, red past it; muted when cancelled. */
export function Elapsed({ startedAt, state, totalMs }: ElapsedProps) {
  const isRunning = state === 'running' && startedAt !== null;
  const { serverClock } = useConnection();
  useSeconds(isRunning);
  if (!isRunning) {
    if (totalMs === null) return null;
    return (
      <span className="elapsed" data-pace={state === 'stopped' ? 'muted' : paceOf(totalMs)}>
        {durationText(totalMs)}
      </span>
    );
  }
  const ms = serverClock.now() - startedAt;
  // not announced: a counter in a live region would never be silent
  return (
    <span className="elapsed" data-pace={paceOf(ms)} role="timer" aria-live="off">
      {runningText(ms)}
    </span>
  );
}
