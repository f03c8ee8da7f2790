// The filters of the list of sessions: words, and what one of its turns must be. The gateway finds what fits.
import { useEffect, useRef, useState } from 'react';
import { useConnection } from './connection-context.ts';
import { type DirectorySession, findSessions } from './overview.ts';
import { pageClock } from './page-clock.ts';

/** As the fields have them; an empty one asks for nothing. `since`, `until`: days, as `2026-11-28`. */
export interface SessionFilters {
  readonly words: string;
  readonly status: string;
  readonly outcome: string;
  readonly speaker: string;
  readonly tool: string;
  readonly cause: string;
  readonly since: string;
  readonly until: string;
}

export const noFilters: SessionFilters = {
  words: '',
  status: '',
  outcome: '',
  speaker: '',
  tool: '',
  cause: '',
  since: '',
  until: '',
};

const typingMs = 200;
const dayMs = 86_400_000;

/** Returns the start of a day here, in milliseconds since 1970; an empty text where it is no day. */
function startOf(day: string, days = 0): string {
  const at = new Date(`${day}T00:00`).getTime() + days * dayMs;
  return Number.isNaN(at) ? '' : String(at);
}

/** The query of the filters. */
function queryOf({ since, until, ...rest }: SessionFilters): Readonly<Record<string, string>> {
  const all = { ...rest, since: startOf(since), until: startOf(until, 1) };
  return Object.fromEntries(Object.entries(all).flatMap(([name, text]) => (text.trim() ? [[name, text.trim()]] : [])));
}

export type FoundList =
  | { readonly kind: 'all' | 'searching' }
  | { readonly kind: 'found'; readonly sessions: readonly DirectorySession[]; readonly hasMore: boolean }
  | { readonly kind: 'failed'; readonly message: string };

/** Returns what the gateway finds; `all` where nothing is asked for. `listed`: another list means that something has happened. */
export function useFoundSessions(filters: SessionFilters, listed: unknown): FoundList {
  const connection = useConnection();
  const [found, setFound] = useState<FoundList>({ kind: 'all' });
  const asked = useRef(queryOf(filters));
  asked.current = queryOf(filters);
  const query = JSON.stringify(asked.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was found may have changed with the list
  useEffect(() => {
    if (query === '{}') return setFound({ kind: 'all' });
    let isCurrent = true;
    const set = (next: FoundList) => {
      if (isCurrent) setFound(next);
    };
    setFound((before) => (before.kind === 'all' ? { kind: 'searching' } : before));
    const disarm = pageClock.after(typingMs, () => {
      findSessions(connection, asked.current).then(
        ({ sessions, next }) => set({ kind: 'found', sessions, hasMore: next !== null }),
        ({ message }: Error) => set({ kind: 'failed', message }),
      );
    });
    return () => {
      isCurrent = false;
      disarm();
    };
  }, [connection, query, listed]);
  return found;
}
