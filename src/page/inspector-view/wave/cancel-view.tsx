// The CANCELs that the inspector shows: those of all sessions, those of one session, or the wave of one CANCEL.
import { useMemo } from 'react';
import type { RecordStore, StoreSnapshot } from '../records/record-store.ts';
import { CancelList } from './cancel-list.tsx';
import { CancelPlace } from './cancel-place.tsx';
import { RecordCancels } from './record-cancels.ts';
import { waveOf } from './wave-sources.ts';

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
export function CancelView({ session, cancel, snapshot, store, isFile }: CancelViewProps) {
  const { picture, version, oldest, place } = snapshot;
  // biome-ignore lint/correctness/useExhaustiveDependencies: there are other records with each version
  const recorded = useMemo(
    () => new RecordCancels(store.history.recordsBetween(oldest, place), picture.actors.values()),
    [store, version],
  );
  const ofSession = session ?? (cancel === null ? null : recorded.sessionOf(cancel));
  return (
    <div className="cancel-view">
      {ofSession === null ? (
        <AllCancels recorded={recorded} />
      ) : (
        <CancelPlace key={ofSession} session={ofSession} cancel={cancel} recorded={recorded} isFile={isFile} />
      )}
    </div>
  );
}

/** The log belongs to one session: of all sessions there are the records alone. */
function AllCancels({ recorded }: { readonly recorded: RecordCancels }) {
  const cancels = useMemo(() => {
    const waves = recorded.cancels.flatMap((id) => waveOf(id, recorded, null) ?? []);
    return waves.flatMap((wave) => {
      const session = recorded.sessionOf(wave.cancel);
      return session === null ? [] : [{ session, wave }];
    });
  }, [recorded]);
  return (
    <section className="wave cancels" aria-labelledby="cancels-title">
      <h2 id="cancels-title" className="wave-title">
        What was stopped since this page watches
      </h2>
      {cancels.length === 0 ? (
        <p className="soft">Nothing was stopped since then.</p>
      ) : (
        <CancelList cancels={cancels} refusals={[]} isOfAll />
      )}
    </section>
  );
}
