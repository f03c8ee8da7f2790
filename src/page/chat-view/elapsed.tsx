// The elapsed time of a node: counting and colored while it runs, still and muted when it is over.

import { useSyncExternalStore } from 'react';
import { paceOf } from '../../client/view/pace.ts';
import { durationText, runningText } from '../../core/words/durations.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { pageClock, type StopTimer } from '../page-state/page-clock.ts';

interface ElapsedProps {
  /** The id of what is timed. */
  readonly node: string;
  /** `running`: it counts. `stopped`: it was cancelled, and is muted. */
  readonly state: 'running' | 'done' | 'stopped';
  /** How long it took in the end, in milliseconds; null: not known. */
  readonly totalMs: number | null;
}

/** The seconds since the start, where they are known: green under 10 s, amber to 30 s, red past it; muted when cancelled. */
export function Elapsed({ node, state, totalMs }: ElapsedProps) {
  const isRunning = state === 'running';
  const { gatewayTime } = useConnection();
  useSeconds(isRunning);
  if (!isRunning) {
    if (totalMs === null) return null;
    return (
      <span className="elapsed" data-pace={state === 'stopped' ? 'muted' : paceOf(totalMs)}>
        {durationText(totalMs)}
      </span>
    );
  }
  const ms = gatewayTime.ageMs(node);
  if (ms === null) return null;
  // not announced: a counter in a live region would never be silent
  return (
    <span className="elapsed" data-pace={paceOf(ms)} role="timer" aria-live="off">
      {runningText(ms)}
    </span>
  );
}

// A tick each second, shared by everything on the page that counts seconds. It stands still while nothing does.
const everyMs = 1_000;
const listeners = new Set<() => void>();
let ticks = 0;
let disarm: StopTimer | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  disarm ??= pageClock.every(everyMs, () => {
    ticks += 1;
    for (const each of listeners) each();
  });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    disarm?.();
    disarm = null;
  };
}

const standStill = () => () => {};

/** Renders the component anew each second, as long as `isOn`. */
function useSeconds(isOn: boolean): void {
  useSyncExternalStore(isOn ? subscribe : standStill, () => ticks);
}
