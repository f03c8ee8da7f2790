// What the tests of doors ask of a gateway in a process of its own: its address, and the facts in its store.
import { DatabaseSync } from 'node:sqlite';
import type { ServedBelay } from '../support/belay.ts';

/** The address of its HTTP server. */
export const httpOf = ({ url }: ServedBelay): string => url.replace('ws://', 'http://').replace(/\/belay$/, '');

/** The facts of a session in the store. */
export function factsIn({ store }: ServedBelay, session: string): readonly Readonly<Record<string, unknown>>[] {
  const db = new DatabaseSync(store, { readOnly: true });
  try {
    const rows = db.prepare('SELECT body FROM events WHERE session = ? ORDER BY seq').all(session);
    return rows.map(({ body }) => JSON.parse(String(body)));
  } finally {
    db.close();
  }
}
