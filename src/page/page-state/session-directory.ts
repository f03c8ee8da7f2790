// The sessions that the speaker may read, as the gateway lists them by HTTP; and their deletion.
import { useCallback, useEffect, useState } from 'react';
import { useConnection, useConnectionState } from './connection-context.ts';
import { adoptListed, forgetSession, type KnownFork } from './known-sessions.ts';
import { pageClock } from './page-clock.ts';
import type { PageConnection } from './page-connection.ts';
import { problemText } from './problem-text.ts';

export interface DirectorySession {
  readonly session: string;
  /** The beginning of the first words that were said in it; null: there are none. */
  readonly title: string | null;
  /** Where it was forked from; null: it is no fork. */
  readonly forkedFrom?: KnownFork['from'] | null;
  /** Turns that are not settled. */
  readonly activeTurns: number;
}

interface PageOfSessions {
  readonly sessions: readonly DirectorySession[];
  readonly next: string | null;
}

const everyMs = 15_000;
const maxPages = 10;

interface SessionDirectory {
  /** The sessions of the gateway; null: not known yet, or the gateway does not say. */
  readonly sessions: readonly DirectorySession[] | null;
  readonly refresh: () => void;
}

/** Returns the list, and asks for it again from time to time while the page is visible. `place`: another value asks at once. */
export function useSessionDirectory(place: unknown): SessionDirectory {
  const connection = useConnection();
  const isOpen = useConnectionState().kind === 'open';
  const [sessions, setSessions] = useState<readonly DirectorySession[] | null>(null);
  const refresh = useCallback(() => {
    if (!isOpen || document.visibilityState !== 'visible') return;
    void listSessions(connection).then(
      (listed) => {
        adoptListed(listed);
        setSessions(listed);
      },
      () => {}, // the list before stays
    );
  }, [connection, isOpen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place may mean another session
  useEffect(refresh, [refresh, place]);
  useEffect(() => {
    document.addEventListener('visibilitychange', refresh);
    const disarm = pageClock.every(everyMs, refresh);
    return () => {
      disarm();
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [refresh]);
  return { sessions, refresh };
}

async function listSessions(connection: PageConnection): Promise<readonly DirectorySession[]> {
  const sessions: DirectorySession[] = [];
  let after: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const query: string = after === null ? '' : `&after=${encodeURIComponent(after)}`;
    const response: Response = await connection.request(`api/sessions?limit=1000${query}`);
    if (!response.ok) throw new Error(`The list of sessions: status ${response.status}.`);
    const listed = (await response.json()) as PageOfSessions; // as its route declares it
    sessions.push(...listed.sessions);
    after = listed.next;
    if (after === null) break;
  }
  return sessions;
}

/** Deletes a session for good. Rejects with why it could not. */
export async function deleteSession(connection: PageConnection, id: string): Promise<void> {
  const response = await connection.request(`api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });
  if (!response.ok && response.status !== 404) throw new Error(await problemText(response));
  connection.forget(id);
  forgetSession(id);
}
