// The titles of sessions, as a view shows them.
import { useMemo, useSyncExternalStore } from 'react';
import { type KnownFork, sessionForks, sessionTitles, subscribeToSessions } from './known-sessions.ts';

/** Returns the titles of sessions by their ids. */
export const useSessionTitles = (): ReadonlyMap<string, string> =>
  useSyncExternalStore(subscribeToSessions, sessionTitles);

/** Returns the forks that the speaker may read, each with where it comes from. */
export const useForks = (): readonly KnownFork[] => useSyncExternalStore(subscribeToSessions, sessionForks);

/** Returns the titles of sessions by their ids, for a place that shows several: sessions with the same words have their ids before them. */
export function useDistinctTitles(): ReadonlyMap<string, string> {
  const titles = useSessionTitles();
  return useMemo(() => distinctTitles(titles), [titles]);
}

/** Puts the id before each title that another session has, too. */
export function distinctTitles(titles: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const byTitle = Map.groupBy(titles, ([, title]) => title);
  const isShared = (title: string) => (byTitle.get(title)?.length ?? 0) > 1;
  return new Map([...titles].map(([id, title]) => [id, isShared(title) ? `${id}: ${title}` : title]));
}
