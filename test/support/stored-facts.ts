// The sessions and facts in the file of a store, read beside the gateway that holds it.
import { DatabaseSync } from 'node:sqlite';
import type { RecordedFact } from '../../machines/facts.ts';

/** The ids of the sessions. */
export function storedSessions(store: string): readonly string[] {
  return read(store, 'SELECT DISTINCT session FROM events').map(({ session }) => String(session));
}

/** The facts of a session, in their order. Left out: those of all sessions. */
export function storedFacts(store: string, session?: string): readonly RecordedFact[] {
  const rows =
    session === undefined
      ? read(store, 'SELECT body FROM events ORDER BY session, seq')
      : read(store, 'SELECT body FROM events WHERE session = ? ORDER BY seq', session);
  return rows.map(({ body }) => JSON.parse(String(body)) as RecordedFact);
}

function read(store: string, query: string, ...values: readonly string[]) {
  const db = new DatabaseSync(store, { readOnly: true });
  try {
    return db.prepare(query).all(...values);
  } finally {
    db.close();
  }
}
