// Brings the schema of a PostgreSQL log from the version before to this one, while hosts of both run on it.
//
// 1. The tables and triggers are made first, in one short transaction: from then on every host's appends are indexed, but those of sessions that were there before.
// 2. Those are indexed one after the other, in slices. A slice holds the row of its session, so that nothing is appended to it meanwhile.
// 3. The version is raised at last: hosts notice it with the next renewal of their leases.
import { indexEarlierEvents, indexTables, noteEarlierSessions } from './index-tables.ts';
import { changeSchema, schemaVersion } from './postgres-schema.ts';
import { SessionWords } from './session-words.ts';
import type { Transactions } from './transactions.ts';

/** Events that are indexed in one transaction. */
const sliceEvents = 2_000;

export class PostgresMigration {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async run(onSession: (session: string) => void): Promise<void> {
    await this.#makeIndex();
    for (let session = await this.#nextSession(); session !== null; session = await this.#nextSession()) {
      while (await this.#indexSlice(session));
      onSession(session);
    }
    const words = new SessionWords(this.#transactions);
    while (await words.indexSlice());
    await this.#transactions.query('UPDATE belay_schema SET version = $1 WHERE version < $1', [schemaVersion]);
  }

  /** Makes the index, unless an earlier run has made it: the sessions that it has noted are those without triggers. */
  #makeIndex(): Promise<void> {
    return this.#transactions.borrow((client) =>
      changeSchema(client, async () => {
        const { rows } = await client.query<{ readonly made: boolean }>(
          "SELECT to_regclass('unindexed') IS NOT NULL AS made",
        );
        if (rows[0]?.made) return;
        await client.query('LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE'); // before the sessions are noted: none comes between
        await client.query(indexTables);
        await client.query(noteEarlierSessions);
      }),
    );
  }

  async #nextSession(): Promise<string | null> {
    const { rows } = await this.#transactions.query<{ readonly session: string }>(
      'SELECT session FROM unindexed ORDER BY session LIMIT 1',
    );
    return rows[0]?.session ?? null;
  }

  /** Indexes a slice of a session. Resolves with whether there is more. */
  #indexSlice(session: string): Promise<boolean> {
    return this.#transactions.run(async (client) => {
      await client.query('SELECT 1 FROM sessions WHERE session = $1 FOR UPDATE', [session]);
      const { rows } = await client.query<{ readonly seq: string }>(
        'SELECT seq::text AS seq FROM unindexed WHERE session = $1 FOR UPDATE',
        [session],
      );
      if (!rows[0]) return false; // it was deleted, or another run has done it
      const { rows: slice } = await client.query<{ readonly last: string | null }>(
        `SELECT max(seq)::text AS last FROM (
           SELECT seq FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT ${sliceEvents}
         ) AS slice`,
        [session, rows[0].seq],
      );
      const last = slice[0]?.last ?? null;
      if (last === null) {
        await client.query('DELETE FROM unindexed WHERE session = $1', [session]);
        return false;
      }
      await client.query(indexEarlierEvents, [session, rows[0].seq, last]);
      await client.query('UPDATE unindexed SET seq = $2 WHERE session = $1', [session, last]);
      return true;
    });
  }
}
