// The turns before the first one of a conversation: they are loaded when its reader comes near them, or asks for them.
import { useState } from 'react';
import type { ReadEarlier } from '../../client/view/session-view.ts';
import { showNames } from '../../wire/shown-names.ts';
import { useConnection } from '../page-state/connection-context.ts';
import type { OpenSession, PageConnection } from '../page-state/page-connection.ts';
import { problemText } from '../page-state/problem-text.ts';

/** Turns that are loaded at once. */
const turnsAtOnce = 20;

/** `none`: all turns are here. */
type EarlierState = 'none' | 'some' | 'loading' | 'failed';

export interface EarlierTurns {
  readonly state: EarlierState;
  readonly problem: string | null;
  readonly load: () => void;
}

/** Returns whether there are turns before the first one, and a function that loads some of them. `before`: `earlierBefore` of the snapshot. */
export function useEarlierTurns(opened: OpenSession, before: number | null): EarlierTurns {
  const connection = useConnection();
  const [loading, setLoading] = useState<
    { readonly kind: 'idle' | 'loading' } | { readonly kind: 'failed'; readonly problem: string }
  >({
    kind: 'idle',
  });
  const load = () => {
    if (before === null || loading.kind === 'loading') return;
    setLoading({ kind: 'loading' });
    opened.view.loadEarlier(readFrom(connection, opened.id), turnsAtOnce).then(
      () => setLoading({ kind: 'idle' }),
      (error: unknown) =>
        setLoading({ kind: 'failed', problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  const state = before === null ? 'none' : loading.kind === 'idle' ? 'some' : loading.kind;
  return { state, problem: loading.kind === 'failed' ? loading.problem : null, load };
}

/** Reads pages of facts by HTTP, with the names in them written out as in the frames of the socket. */
const readFrom =
  (connection: PageConnection, session: string): ReadEarlier =>
  async ({ before, limit }) => {
    const address = `api/sessions/${encodeURIComponent(session)}/events?before=${before}&limit=${limit}`;
    const response = await connection.request(address);
    if (!response.ok) throw new Error(await problemText(response));
    const page = (await response.json()) as Awaited<ReturnType<ReadEarlier>>; // as its route declares it
    return { ...page, events: page.events.map(showNames) };
  };

/** The button that loads them, for whoever does not scroll; and what became of it. */
export function EarlierButton({ earlier: { state, problem, load } }: { readonly earlier: EarlierTurns }) {
  if (state === 'none') return null;
  return (
    <div className="earlier">
      {problem !== null && (
        <p className="problem" role="alert">
          Earlier turns could not be loaded: {problem}
        </p>
      )}
      <button type="button" className="button button-small" aria-disabled={state === 'loading'} onClick={load}>
        {state === 'loading' ? 'Loading earlier turns…' : 'Show earlier turns'}
      </button>
    </div>
  );
}
