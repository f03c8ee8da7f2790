// The sessions that were open in this browser, the newest first.
import { Listeners } from '../../collections/listeners.ts';

const storageName = 'belay-sessions';
const maxSessions = 100;
const listeners = new Listeners<void>();
let known: readonly string[] | null = null;

/** Returns the ids. The same value until they change. */
export function knownSessions(): readonly string[] {
  known ??= readStored();
  return known;
}

/** Puts a session at the head of the list, unless it is in it. */
export function rememberSession(id: string): void {
  if (!knownSessions().includes(id)) keep([id, ...knownSessions()].slice(0, maxSessions));
}

/** Takes a session off the list. */
export const forgetSession = (id: string): void => keep(knownSessions().filter((each) => each !== id));

/** Calls the listener after each change, until the returned function is called. */
export const subscribeToSessions = (listener: () => void): (() => void) => listeners.on('change', listener);

function keep(ids: readonly string[]): void {
  known = ids;
  try {
    localStorage.setItem(storageName, JSON.stringify(ids));
  } catch {
    // without storage the list holds for this visit
  }
  listeners.emit('change', undefined);
}

function readStored(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
