// The records that the inspector shows: those of the gateway's stream, or those of a file that was opened.
import { useEffect, useState } from 'react';
import { useConnection } from '../../page-state/connection-context.ts';
import type { StopTimer } from '../../page-state/page-clock.ts';
import type { RecordFile } from './record-file.ts';
import { defaultCapacity } from './record-history.ts';
import { RecordSource } from './record-source.ts';
import { RecordStore } from './record-store.ts';

export interface OpenedFile {
  readonly name: string;
  readonly content: RecordFile;
}

export interface Inspection {
  readonly store: RecordStore;
  /** The stream of the gateway; null: a file is replayed. */
  readonly source: RecordSource | null;
}

/** Returns the records of a session, or of all; null before the first effect. They are received as long as the component is mounted. */
export function useInspection(session: string | null, file: OpenedFile | null): Inspection | null {
  const connection = useConnection();
  const [inspection, setInspection] = useState<Inspection | null>(null);
  useEffect(() => {
    const store = new RecordStore({
      onFrame: onNextFrame,
      capacity: Math.max(defaultCapacity, file?.content.records.length ?? 0),
    });
    if (file) {
      fillStore(store, file.content, session);
      setInspection({ store, source: null });
      return;
    }
    const source = new RecordSource({ session, store, request: (path, init) => connection.request(path, init) });
    setInspection({ store, source });
    return () => source.close();
  }, [connection, session, file]);
  return inspection;
}

/** Puts the records of a file into a store: those of one session, or all. */
function fillStore(store: RecordStore, { alive, records }: RecordFile, session: string | null): void {
  const isShown = (record: { readonly session: string }) => session === null || record.session === session;
  for (const record of alive) if (isShown(record)) store.identify(record);
  for (const record of records) if (isShown(record)) store.receive(record);
  store.goLive();
}

/** Runs `fn` once, before the next frame is drawn. A page that is not visible draws none. */
function onNextFrame(fn: () => void): StopTimer {
  const frame = requestAnimationFrame(fn);
  return () => cancelAnimationFrame(frame);
}
