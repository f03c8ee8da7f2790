// The CANCELs of all sessions, each with a link to its wave; or the waves of one session.
import { useMemo } from 'react';
import { routeHref } from '../../page-state/routing.ts';
import type { RecordedCancel } from '../records/picture.ts';
import type { RecordStore, StoreSnapshot } from '../records/record-store.ts';
import { CancelPlace } from './cancel-place.tsx';
import { RecordCancels } from './record-cancels.ts';

interface CancelViewProps {
  /** The session whose CANCELs are shown; null: all sessions. */
  readonly session: string | null;
  /** The CANCEL that the address names; null: the list. */
  readonly cancel: string | null;
  readonly store: RecordStore;
  readonly snapshot: StoreSnapshot;
  /** Whether a file is replayed: then its records are all there is. */
  readonly isFile: boolean;
}

/** Shows the list of a session or of all, or one wave. */
export function CancelView({ session, ...shown }: CancelViewProps) {
  const { cancels } = shown.snapshot.picture;
  const ofSession = session ?? cancels.find(({ id }) => id === shown.cancel)?.session ?? null;
  return ofSession === null ? <AllCancels cancels={cancels} /> : <SessionCancels session={ofSession} {...shown} />;
}

function SessionCancels({ session, cancel, snapshot, store, isFile }: CancelViewProps & { readonly session: string }) {
  const { picture, version, oldest, place } = snapshot;
  // biome-ignore lint/correctness/useExhaustiveDependencies: there are other records with each version
  const recorded = useMemo(
    () => new RecordCancels(store.history.recordsBetween(oldest, place), picture.actors.values()),
    [store, version],
  );
  return (
    <div className="cancel-view">
      <CancelPlace key={session} session={session} cancel={cancel} recorded={recorded} isFile={isFile} />
    </div>
  );
}

function AllCancels({ cancels }: { readonly cancels: readonly RecordedCancel[] }) {
  return (
    <section className="pane" aria-label="Cancels">
      <header className="pane-head">
        <h2>Cancels</h2>
        <span className="soft small">{cancels.length}</span>
      </header>
      {cancels.length === 0 && <p className="pane-empty soft">Nothing was stopped since this page watches.</p>}
      <ul className="cancel-links">
        {cancels.toReversed().map(({ id, session, by, source, at }) => (
          <li key={id}>
            <a href={routeHref({ view: 'inspector', session, place: ['cancel', id], at: null })}>
              {new Date(at).toLocaleTimeString('en-GB')} in {session}, by {by ?? source ?? 'nobody'}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
