// The list of sessions at the side: search, a new one, and those that there are.
import { useId, useState, useSyncExternalStore } from 'react';
import { type KnownSession, knownSessions, subscribeToSessions } from './page-state/known-sessions.ts';
import { routeHref } from './page-state/routing.ts';
import { type DirectorySession, useSessionDirectory } from './page-state/session-directory.ts';
import { SessionRow } from './session-row.tsx';

/** The sessions. `current`: the one that is shown. */
export function SessionList({ current }: { readonly current: string | null }) {
  const known = useSyncExternalStore(subscribeToSessions, knownSessions);
  const { sessions, refresh } = useSessionDirectory(`${current} ${known.length}`);
  const search = useId();
  const [wanted, setWanted] = useState('');
  const shown = listedSessions(known, sessions, current).filter((each) => isFound(each, wanted));
  return (
    <>
      <div className="side-tools">
        <a className="button" href={routeHref({ view: 'chat', session: null })}>
          New session
        </a>
        <label className="visually-hidden" htmlFor={search}>
          Search sessions
        </label>
        <input
          id={search}
          className="field"
          type="search"
          placeholder="Search"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      </div>
      <ul className="sessions">
        {shown.map((each) => (
          <SessionRow key={each.id} {...each} isCurrent={each.id === current} onDeleted={refresh} />
        ))}
      </ul>
      {shown.length === 0 && wanted !== '' && <p className="side-tools soft small">No session has these words.</p>}
    </>
  );
}

export interface ShownSession extends KnownSession {
  readonly isActive: boolean;
}

/** Those of this browser first, then the others by name. A session that the gateway does not list any more was deleted. */
function listedSessions(
  known: readonly KnownSession[],
  listed: readonly DirectorySession[] | null,
  current: string | null,
): readonly ShownSession[] {
  if (!listed) return known.map((each) => ({ ...each, isActive: false }));
  const active = new Map(listed.map(({ session, activeTurns }) => [session, activeTurns > 0]));
  const kept = known.filter(({ id }) => active.has(id) || id === current);
  const ids = new Set(kept.map(({ id }) => id));
  const others = listed
    .filter(({ session }) => !ids.has(session))
    .map(({ session, title }) => ({ id: session, title: title ?? '' }));
  return [...kept, ...others].map((each) => ({ ...each, isActive: active.get(each.id) ?? false }));
}

const isFound = ({ id, title }: ShownSession, wanted: string): boolean =>
  `${title} ${id}`.toLowerCase().includes(wanted.trim().toLowerCase());
