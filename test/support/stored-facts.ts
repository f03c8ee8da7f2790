// The facts of a store, read from its file.
import { DatabaseSync } from 'node:sqlite';

/** Returns the facts of a session in their order. Left out: those of all sessions. */
export function factsIn(store: string, session?: string): readonly Readonly<Record<string, unknown>>[] {
  const db = new DatabaseSync(store, { readOnly: true });
  try {
    const where = session === undefined ? '' : 'WHERE session = ?';
    const statement = db.prepare(`SELECT body FROM events ${where} ORDER BY session, seq`);
    const rows = session === undefined ? statement.all() : statement.all(session);
    return rows.map(({ body }) => JSON.parse(String(body)));
  } finally {
    db.close();
  }
}
