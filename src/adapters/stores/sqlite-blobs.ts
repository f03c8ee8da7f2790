// The blobs in a SQLite file: a row for each blob of a session, with its bytes; and the requests to the thread that writes them.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  assertBlobLimits,
  assertHeldWithin,
  type BlobLimits,
  type BlobStore,
  type GivenBlob,
} from '../../core/contracts/blobs.ts';
import type { CopiedBlobs } from '../../core/contracts/log.ts';
import type { BlobReadRequest, BlobWriteRequest } from './sqlite-messages.ts';

/** The rows have increasing numbers (`rowid`): a blob that is stored again gets a new one. Sizes are read from the index, without the bytes. */
export const blobsTable = `CREATE TABLE IF NOT EXISTS blobs(
    session TEXT NOT NULL, id TEXT NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (session, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS blob_sizes ON blobs(session, size);`;

/** Selects the rows that are above a limit of bytes, counted from the newest one. */
const rowsAbove = (where: string) => `
  SELECT row FROM (SELECT rowid AS row, sum(size) OVER (ORDER BY rowid DESC) AS bytes FROM blobs ${where}) WHERE bytes > ?`;

interface Statements {
  readonly put: StatementSync;
  readonly copy: StatementSync;
  readonly read: StatementSync;
  readonly sessionBytes: StatementSync;
  readonly storeBytes: StatementSync;
  readonly sweepSession: StatementSync;
  readonly sweepStore: StatementSync;
  readonly keepOnly: StatementSync;
  readonly deleteAll: StatementSync;
}

const prepareStatements = (db: DatabaseSync): Statements => ({
  put: db.prepare('REPLACE INTO blobs VALUES (?, ?, ?, ?)'),
  copy: db.prepare(
    `REPLACE INTO blobs SELECT ?, id, size, data FROM blobs
     WHERE session = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
  ),
  read: db.prepare('SELECT data FROM blobs WHERE session = ? AND id = ?'),
  sessionBytes: db.prepare('SELECT total(size) AS bytes FROM blobs WHERE session = ?'),
  storeBytes: db.prepare('SELECT total(size) AS bytes FROM blobs'),
  sweepSession: db.prepare(`DELETE FROM blobs WHERE rowid IN (${rowsAbove('WHERE session = ?')})`),
  sweepStore: db.prepare(`DELETE FROM blobs WHERE rowid IN (${rowsAbove('')})`),
  keepOnly: db.prepare('DELETE FROM blobs WHERE session = ? AND id NOT IN (SELECT value FROM json_each(?))'),
  deleteAll: db.prepare('DELETE FROM blobs WHERE session = ?'),
});

/** Its methods are parts of a transaction of src/adapters/stores/sqlite-store.ts. */
export class SqliteBlobs {
  readonly #statements: Statements;

  constructor(db: DatabaseSync) {
    this.#statements = prepareStatements(db);
  }

  put(session: string, blobs: readonly GivenBlob[], limits: BlobLimits): void {
    for (const { id, data } of blobs) this.#statements.put.run(session, id, data.length, data);
    this.#sweep(session, limits);
  }

  /** Copies blobs. Throws `BlobTooLarge`, for which the transaction is rolled back, where they do not fit beside all others. */
  copy(session: string, { from, ids, limits }: CopiedBlobs): void {
    if (ids.length === 0) return;
    const { copy, sessionBytes, storeBytes } = this.#statements;
    copy.run(session, from, JSON.stringify(ids));
    const held = { session: Number(sessionBytes.get(session)?.['bytes']), store: Number(storeBytes.get()?.['bytes']) };
    assertHeldWithin(held, limits);
  }

  #sweep(session: string, { sessionBlobBytes, storeBlobBytes }: BlobLimits): void {
    const { sessionBytes, storeBytes, sweepSession, sweepStore } = this.#statements;
    if (Number(sessionBytes.get(session)?.['bytes']) > sessionBlobBytes) sweepSession.run(session, sessionBlobBytes);
    if (Number(storeBytes.get()?.['bytes']) > storeBlobBytes) sweepStore.run(storeBlobBytes);
  }

  read(session: string, id: string): unknown {
    return this.#statements.read.get(session, id)?.['data'] ?? null;
  }

  keepOnly(session: string, ids: readonly string[]): void {
    this.#statements.keepOnly.run(session, JSON.stringify(ids));
  }

  deleteAll(session: string): void {
    this.#statements.deleteAll.run(session);
  }
}

interface BlobRequests {
  write(request: BlobWriteRequest): Promise<void>;
  /** Resolves with the value of a reply. */
  read(request: BlobReadRequest): Promise<Uint8Array | null>;
}

/** The blob store of a log: each operation is a request to the thread that writes the file. */
export class SqliteBlobRequests implements BlobStore {
  readonly #requests: BlobRequests;

  constructor(requests: BlobRequests) {
    this.#requests = requests;
  }

  async put(session: string, given: readonly GivenBlob[], limits: BlobLimits): Promise<void> {
    assertBlobLimits(given, limits);
    // copies: a message would carry all of the memory that a view is a part of
    const blobs = given.map(({ id, data }) => ({ id, data: new Uint8Array(data) }));
    await this.#requests.write({ op: 'putBlobs', session, blobs, limits });
  }

  read(session: string, blob: string): Promise<Uint8Array | null> {
    return this.#requests.read({ op: 'readBlob', session, blob });
  }

  keepOnly(session: string, blobs: readonly string[]): Promise<void> {
    return this.#requests.write({ op: 'keepOnlyBlobs', session, blobs });
  }

  deleteAll(session: string): Promise<void> {
    return this.#requests.write({ op: 'deleteBlobs', session });
  }
}
