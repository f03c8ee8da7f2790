// The blobs in PostgreSQL: a row for each blob of a session, with its bytes.
import type { ClientBase } from 'pg';
import {
  assertBlobLimits,
  assertHeldWithin,
  type BlobLimits,
  type BlobStore,
  type GivenBlob,
} from '../../../core/contracts/blobs.ts';
import type { CopiedBlobs } from '../../../core/contracts/log.ts';
import type { Transactions } from './transactions.ts';

/** Deletes the rows that are above a limit of bytes, counted from the newest one. */
const deleteAbove = (where: string, limit: string) => `
  DELETE FROM blobs USING (
    SELECT session, id, sum(size) OVER (ORDER BY place DESC) AS bytes FROM blobs ${where}
  ) AS counted WHERE blobs.session = counted.session AND blobs.id = counted.id AND counted.bytes > ${limit}`;

const sumOf = async (client: ClientBase, where: string, values: readonly unknown[]): Promise<number> => {
  const text = `SELECT coalesce(sum(size), 0)::float8 AS bytes FROM blobs ${where}`;
  const { rows } = await client.query<{ readonly bytes: number }>(text, [...values]);
  return rows[0]?.bytes ?? 0;
};

/** Copies blobs, as a part of a transaction. Rejects with `BlobTooLarge` where they do not fit beside all others. */
export async function copyBlobs(
  client: ClientBase,
  session: string,
  { from, ids, limits }: CopiedBlobs,
): Promise<void> {
  if (ids.length === 0) return;
  await client.query(
    `INSERT INTO blobs(session, id, size, data) SELECT $1, id, size, data FROM blobs WHERE session = $2 AND id = ANY($3) ORDER BY place
     ON CONFLICT DO NOTHING`,
    [session, from, [...ids]],
  );
  assertHeldWithin(
    { session: await sumOf(client, 'WHERE session = $1', [session]), store: await sumOf(client, '', []) },
    limits,
  );
}

/** Deletes the blobs of a session, as a part of a transaction. */
export const deleteBlobs = (client: ClientBase, session: string) =>
  client.query('DELETE FROM blobs WHERE session = $1', [session]);

export class PostgresBlobs implements BlobStore {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async put(session: string, blobs: readonly GivenBlob[], limits: BlobLimits): Promise<void> {
    assertBlobLimits(blobs, limits);
    const given = blobs.map(({ id, data }) => ({ id, data: Buffer.from(data) })); // copies: the caller may change its own
    await this.#transactions.run(async (client) => {
      // a blob that is stored again counts as new
      await client.query('DELETE FROM blobs WHERE session = $1 AND id = ANY($2)', [session, given.map(({ id }) => id)]);
      for (const { id, data } of given)
        await client.query(
          'INSERT INTO blobs(session, id, size, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
          [session, id, data.length, data],
        );
      await client.query(deleteAbove('WHERE session = $1', '$2'), [session, limits.sessionBlobBytes]);
      await client.query(deleteAbove('', '$1'), [limits.storeBlobBytes]);
    });
  }

  async read(session: string, blob: string): Promise<Uint8Array | null> {
    const { rows } = await this.#transactions.query<{ readonly data: Buffer }>(
      'SELECT data FROM blobs WHERE session = $1 AND id = $2',
      [session, blob],
    );
    return rows[0] ? new Uint8Array(rows[0].data) : null;
  }

  async keepOnly(session: string, blobs: readonly string[]): Promise<void> {
    await this.#transactions.query('DELETE FROM blobs WHERE session = $1 AND NOT id = ANY($2)', [session, [...blobs]]);
  }

  async deleteAll(session: string): Promise<void> {
    await this.#transactions.query('DELETE FROM blobs WHERE session = $1', [session]);
  }
}
