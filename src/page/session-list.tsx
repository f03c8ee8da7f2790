// The list of sessions at the side: a new one, what asks, search and filters, and those that there are, the newest first.
import { useId, useState, useSyncExternalStore } from 'react';
import type { SessionStatus } from '../../machines/vocabulary.ts';
import { missingHostsText } from '../core/words/missing-hosts.ts';
import { type KnownSession, knownSessions, subscribeToSessions } from './page-state/known-sessions.ts';
import { type DirectorySession, useOverview } from './page-state/overview.ts';
import { routeHref } from './page-state/routing.ts';
import { type FoundList, noFilters, useFoundSessions } from './page-state/session-filters.ts';
import { SessionFilterFields } from './session-filter-fields.tsx';
import { SessionRow } from './session-row.tsx';

/** The sessions. `current`: the one that is shown. */
export function SessionList({ current }: { readonly current: string | null }) {
  const known = useSyncExternalStore(subscribeToSessions, knownSessions);
  const { sessions, questions, next, missing, refresh, loadMore } = useOverview();
  const search = useId();
  const [filters, setFilters] = useState(noFilters);
  const found = useFoundSessions(filters, sessions);
  const all = listedSessions(known, sessions, current);
  const shown = foundSessions(all, found, filters);
  return (
    <>
      <div className="side-tools">
        <a className="button" href={routeHref({ view: 'chat', session: null })}>
          New session
        </a>
        {questions.length > 0 && (
          <a className="button button-asks" href={routeHref({ view: 'questions' })}>
            {questions.length === 1 ? '1 question asks you' : `${questions.length} questions ask you`}
          </a>
        )}
        <label className="visually-hidden" htmlFor={search}>
          Search sessions
        </label>
        <input
          id={search}
          className="field"
          type="search"
          placeholder="Search"
          value={filters.words}
          onChange={({ target }) => setFilters({ ...filters, words: target.value })}
        />
        <SessionFilterFields filters={filters} onChange={setFilters} />
      </div>
      <ul className="sessions">
        {shown.map((each) => (
          <SessionRow key={each.id} {...each} isCurrent={each.id === current} onChanged={refresh} />
        ))}
        {found.kind === 'all' && next !== null && (
          <li>
            <button type="button" className="button button-quiet button-small" onClick={loadMore}>
              Show more sessions
            </button>
          </li>
        )}
      </ul>
      <p className="side-tools soft small" role="status">
        {missingHostsText(missing)}
        {found.kind === 'failed' && found.message}
        {found.kind === 'found' && shown.length === 0 && 'No session is like this.'}
        {found.kind === 'found' && found.hasMore && 'There may be more: narrow the search.'}
      </p>
    </>
  );
}

export interface ShownSession extends KnownSession {
  /** What happens in it; null: that is not known. */
  readonly status: SessionStatus | null;
  readonly lastAt: number | null;
}

const shownOf = ({ session, title, status, lastAt }: DirectorySession): ShownSession => ({
  id: session,
  title: title ?? '',
  status,
  lastAt,
});

/** The sessions of the gateway, the newest first. One that is shown and not listed yet is the first; where the gateway does not say, those of this browser are shown. */
function listedSessions(
  known: readonly KnownSession[],
  listed: readonly DirectorySession[] | null,
  current: string | null,
): readonly ShownSession[] {
  const ids = new Set(listed?.map(({ session }) => session));
  const others = known.filter(({ id }) => !ids.has(id) && (listed === null || id === current));
  return [...others.map((each) => ({ ...each, status: null, lastAt: null })), ...(listed ?? []).map(shownOf)];
}

/** Those that the gateway has found; of words alone also those with the words anywhere in their title or name. */
function foundSessions(
  all: readonly ShownSession[],
  found: FoundList,
  { words, ...filters }: typeof noFilters,
): readonly ShownSession[] {
  if (found.kind === 'all') return all;
  const isNamed = ({ id, title }: ShownSession) => `${title} ${id}`.toLowerCase().includes(words.trim().toLowerCase());
  const here = Object.values(filters).every((text) => text === '') ? all.filter(isNamed) : [];
  if (found.kind !== 'found') return here;
  const ids = new Set(found.sessions.map(({ session }) => session));
  const both = [...found.sessions.map(shownOf), ...here.filter(({ id }) => !ids.has(id))];
  return both.toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0));
}
