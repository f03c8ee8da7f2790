// The titles of sessions, as a view shows them.
import { useSyncExternalStore } from 'react';
import { sessionTitles, subscribeToSessions } from './known-sessions.ts';

/** Returns the titles of sessions by their ids. */
export const useSessionTitles = (): ReadonlyMap<string, string> =>
  useSyncExternalStore(subscribeToSessions, sessionTitles);
