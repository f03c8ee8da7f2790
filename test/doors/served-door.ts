// The address of a gateway in a process of its own, and the facts in its store, for the tests of doors.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ServedBelay } from '../support/belay.ts';

/** The address of its HTTP server. */
export const addressOf = ({ url }: ServedBelay): string => url.replace('ws://', 'http://').replace(/\/belay$/, '');

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

/** A command that runs, in the folder `c`, until `letGo`. */
export const untilGo = 'until [ -e go ]; do sleep 0.02; done';

export const letGo = ({ folder }: ServedBelay): void => writeFileSync(join(folder.c, 'go'), '');
