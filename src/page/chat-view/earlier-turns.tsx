// The turns before the first one of a conversation: they are loaded when its reader comes near them, or asks for them.
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { EarlierFacts } from '../../client/view/earlier-turns.ts';
import type { ReadEarlier } from '../../client/view/session-view.ts';
import { showNames } from '../../wire/shown-names.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { pageClock, type StopTimer } from '../page-state/page-clock.ts';
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
  /** To be called when the box has scrolled: near its beginning it loads the turns before. */
  readonly onScroll: () => void;
}

type Loading = { readonly kind: 'idle' | 'loading' } | { readonly kind: 'failed'; readonly problem: string };

/** How near its beginning a conversation loads the turns before, in pixels. */
const nearTopPx = 600;
/** After so many milliseconds without a scroll event the box stands still. */
const stillMs = 150;

/**
 * Returns whether there are turns before the first one, and a function that loads some of them. They are added when the box stands still: a scroll that goes on would
 * take it away from its place. `before`: `earlierBefore` of the snapshot. `box`: the element that scrolls.
 */
export function useEarlierTurns(
  opened: OpenSession,
  before: number | null,
  box: RefObject<HTMLElement | null>,
): EarlierTurns {
  const connection = useConnection();
  const [loading, setLoading] = useState<Loading>({ kind: 'idle' });
  const scroll = useRef<{ readonly still: PromiseWithResolvers<void>; readonly disarm: StopTimer } | null>(null);
  const load = () => {
    if (before === null || loading.kind === 'loading') return;
    setLoading({ kind: 'loading' });
    const read: ReadEarlier = async (page) => {
      const found = await readFrom(connection, opened.id, page);
      await scroll.current?.still.promise;
      return found;
    };
    opened.view.loadEarlier(read, turnsAtOnce).then(
      () => setLoading({ kind: 'idle' }),
      (error: unknown) =>
        setLoading({ kind: 'failed', problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  const loadNear = useRef(() => {});
  useEffect(() => {
    loadNear.current = () => {
      if (loading.kind === 'idle' && (box.current?.scrollTop ?? nearTopPx) < nearTopPx) load();
    };
  });
  const onScroll = () => {
    scroll.current?.disarm();
    const still = scroll.current?.still ?? Promise.withResolvers<void>();
    const disarm = pageClock.after(stillMs, () => {
      scroll.current = null;
      still.resolve();
      loadNear.current();
    });
    scroll.current = { still, disarm };
  };
  const state = before === null ? 'none' : loading.kind === 'idle' ? 'some' : loading.kind;
  return { state, problem: loading.kind === 'failed' ? loading.problem : null, load, onScroll };
}

/** Reads a page of facts by HTTP, with the names in it written out as in the frames of the socket. */
async function readFrom(
  connection: PageConnection,
  session: string,
  { before, limit }: Parameters<ReadEarlier>[0],
): Promise<EarlierFacts> {
  const address = `api/sessions/${encodeURIComponent(session)}/events?before=${before}&limit=${limit}`;
  const response = await connection.request(address);
  if (!response.ok) throw new Error(await problemText(response));
  const page = (await response.json()) as EarlierFacts; // as its route declares it
  return { ...page, events: page.events.map(showNames) };
}

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
