// Time limits of this browser: how long a turn or a call of the speaker may run before the page stops it.
import { Listeners } from '../../core/collections/listeners.ts';

/** In seconds; 0: none. */
export interface TimeLimits {
  readonly turn: number;
  readonly call: number;
}

const storageName = 'belay-time-limits';
const maxSeconds = 86_400;
const listeners = new Listeners<void>();
let limits: TimeLimits | null = null;

/** Returns the limits. The same value until they change. */
export function timeLimits(): TimeLimits {
  limits ??= readStored();
  return limits;
}

/** Sets limits, also for later visits. */
export function setTimeLimits(next: TimeLimits): void {
  limits = { turn: secondsOf(next.turn), call: secondsOf(next.call) };
  try {
    localStorage.setItem(storageName, JSON.stringify(limits));
  } catch {
    // without storage they hold for this visit
  }
  listeners.emit('change', undefined);
}

/** Calls the listener after each change, until the returned function is called. */
export const subscribeToTimeLimits = (listener: () => void): (() => void) => listeners.on('change', listener);

const secondsOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(maxSeconds, Math.max(0, Math.round(value))) : 0;

function readStored(): TimeLimits {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? 'null');
    if (typeof stored === 'object' && stored !== null && 'turn' in stored && 'call' in stored)
      return { turn: secondsOf(stored.turn), call: secondsOf(stored.call) };
  } catch {
    // without storage there are none
  }
  return { turn: 0, call: 0 };
}
