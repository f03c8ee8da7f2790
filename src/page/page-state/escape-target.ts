// The target of Escape in this browser: the turn, or its tools.
import { useSyncExternalStore } from 'react';
import { type EscapeTarget, escapeTargets } from '../../client/view/escape-target.ts';
import { Listeners } from '../../core/collections/listeners.ts';

const storageName = 'belay-escape';
const listeners = new Listeners<void>();

function readEscapeTarget(): EscapeTarget {
  try {
    return escapeTargets.find((target) => target === localStorage.getItem(storageName)) ?? 'turn';
  } catch {
    return 'turn';
  }
}

/** Chooses what Escape stops, also for later visits. */
export function chooseEscapeTarget(target: EscapeTarget): void {
  try {
    localStorage.setItem(storageName, target);
  } catch {
    // without storage it is the turn
  }
  listeners.emit('change', undefined);
}

const subscribe = (listener: () => void): (() => void) => listeners.on('change', listener);

/** Returns what Escape stops, and follows it. */
export const useEscapeTarget = (): EscapeTarget => useSyncExternalStore(subscribe, readEscapeTarget);
