// The sessions that were open in this browser, the newest first, each with the first words that were said in it.
import { Listeners } from '../../core/collections/listeners.ts';

export interface KnownSession {
  readonly id: string;
  /** The beginning of its first words; empty: nothing was said yet. */
  readonly title: string;
}

const storageName = 'belay-sessions';
const maxSessions = 200;
const maxTitleChars = 80;
const listeners = new Listeners<void>();
let known: readonly KnownSession[] | null = null;
/** As the gateway has listed them, also for sessions that this browser has not opened. */
const listedTitles = new Map<string, string>();
let titles: ReadonlyMap<string, string> | null = null;

/** Returns the sessions. The same value until they change. */
export function knownSessions(): readonly KnownSession[] {
  known ??= readStored();
  return known;
}

/** Returns the titles of sessions by their ids: the first words that were said in each, where they are known. The same value until they change. */
export function sessionTitles(): ReadonlyMap<string, string> {
  const own = knownSessions().filter(({ title }) => title !== '');
  titles ??= new Map([...listedTitles, ...own.map(({ id, title }) => [id, title] as const)]);
  return titles;
}

/** A session that was forked, and from where. */
export interface KnownFork {
  readonly session: string;
  readonly from: { readonly session: string; readonly turn: string };
}

let forks: readonly KnownFork[] = [];

/** Returns the forks that the gateway lists to the speaker. The same value until they change. */
export const sessionForks = (): readonly KnownFork[] => forks;

/** Adds a session at the head of the list, or gives the one that is in it a title if it has none. */
export function rememberSession(id: string, words: string): void {
  const title = words.replace(/\s+/g, ' ').trim().slice(0, maxTitleChars);
  const before = knownSessions();
  const existing = before.find((each) => each.id === id);
  if (existing && (title === '' || existing.title !== '')) return;
  if (!existing) return keep([{ id, title }, ...before].slice(0, maxSessions));
  keep(before.map((each) => (each === existing ? { id, title } : each)));
}

/** A session as the gateway lists it. */
interface Listed {
  readonly session: string;
  readonly title: string | null;
  /** Where it was forked from; null: it is no fork. Left out by gateways of earlier versions. */
  readonly forkedFrom?: KnownFork['from'] | null;
}

/** Takes over the titles and the forks that the gateway has. */
export function adoptListed(listed: readonly Listed[]): void {
  const found = listed.flatMap(({ session, forkedFrom }) => (forkedFrom ? [{ session, from: forkedFrom }] : []));
  let isNew = JSON.stringify(found) !== JSON.stringify(forks);
  if (isNew) forks = found;
  for (const { session, title } of listed) {
    if (title === null || listedTitles.get(session) === title) continue;
    listedTitles.set(session, title);
    isNew = true;
  }
  const before = knownSessions();
  const after = before.map((each) => {
    const title = listedTitles.get(each.id) ?? each.title;
    return title === each.title ? each : { ...each, title };
  });
  if (isNew || after.some((each, at) => each !== before[at])) keep(after);
}

/** Empties the list, as when somebody signs out: the next person at this browser may be another one. */
export function forgetSessions(): void {
  listedTitles.clear();
  forks = [];
  keep([]);
}

/** Takes a session off the list. */
export const forgetSession = (id: string): void => keep(knownSessions().filter((each) => each.id !== id));

/** Calls the listener after each change, until the returned function is called. */
export const subscribeToSessions = (listener: () => void): (() => void) => listeners.on('change', listener);

function keep(sessions: readonly KnownSession[]): void {
  known = sessions;
  titles = null;
  try {
    localStorage.setItem(storageName, JSON.stringify(sessions));
  } catch {
    // without storage the list holds for this visit
  }
  listeners.emit('change', undefined);
}

function readStored(): readonly KnownSession[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(knownSessionOf) : [];
  } catch {
    return [];
  }
}

function knownSessionOf(value: unknown): KnownSession[] {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string') return [];
  const title = 'title' in value && typeof value.title === 'string' ? value.title : '';
  return [{ id: value.id, title }];
}
