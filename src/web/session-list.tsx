// The list of sessions at the side: search, a new one, and those that there are.
import { useId, useState, useSyncExternalStore } from 'react';
import { knownSessions, subscribeToSessions } from './page-state/known-sessions.ts';
import { routeHref } from './page-state/routing.ts';

/** The sessions. `current`: the one that is shown. */
export function SessionList({ current }: { readonly current: string | null }) {
  const ids = useSyncExternalStore(subscribeToSessions, knownSessions);
  const search = useId();
  const [wanted, setWanted] = useState('');
  const shown = ids.filter((id) => id.toLowerCase().includes(wanted.trim().toLowerCase()));
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
        {shown.map((id) => (
          <li key={id}>
            <a
              className="session-link"
              href={routeHref({ view: 'chat', session: id })}
              aria-current={id === current ? 'page' : undefined}
            >
              {id}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
