// A tick each second, shared by everything on the page that counts seconds. It stands still while nothing does.
import { useSyncExternalStore } from 'react';
import { type Disarm, pageClock } from './page-clock.ts';

const everyMs = 1_000;
const listeners = new Set<() => void>();
let ticks = 0;
let disarm: Disarm | null = null;

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
export function useSeconds(isOn: boolean): void {
  useSyncExternalStore(isOn ? subscribe : standStill, () => ticks);
}
