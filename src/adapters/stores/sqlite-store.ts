// The SQLite file of a log: its tables, its transactions, its queries.
//
// 1. A write that cannot be done (fenced, too large) fails alone: its group is rolled back, and written again with a savepoint for each.
// 2. No reply is given before the file that was written is seen to be the one at its path: SQLite goes on writing to a removed file.
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { fieldsOf } from '../../core/collections/fields.ts';
import { BlobTooLarge } from '../../core/contracts/blobs.ts';
import { type Deletion, Fenced, HeldElsewhere, StoreFailed } from '../../core/contracts/log.ts';
import { errorText } from '../../core/text/error-text.ts';
import { commandFacts } from '../../core/transcript/decided-commands.ts';
import { blobsTable, SqliteBlobs } from './sqlite-blobs.ts';
import { deletionTables, SqliteDeletions } from './sqlite-deletions.ts';
import { draftsTable, SqliteDrafts } from './sqlite-drafts.ts';
import { prepareIndex, SqliteIndex } from './sqlite-index.ts';
import { hostsTable, SqliteLeases } from './sqlite-leases.ts';
import type { ReadMessage, ReadRequest, StoreReply, WriteMessage, WriteRequest } from './sqlite-messages.ts';
import { createPrivateFile } from './store-files.ts';

const schemaVersion = 2; // since 2 there are hosts with leases; blobs came later, and a program that knows none of them works with the file
const busyTimeoutMs = 2_000; // how long another process may hold the file's lock before a write fails
const lockPauseMs = 20;
const syncsEachCommit = 2; // the number of FULL, as `PRAGMA synchronous` reads it

/** The speaker of an event that records a command, as `commandKeyOf` has it. */
const commandSpeaker = "coalesce(body ->> 'via', body ->> 'owner', body ->> 'by')";
const commandKey = `${commandSpeaker}, body ->> 'ref'`;
const isCommand = `body ->> 'type' IN (${commandFacts.map((type) => `'${type}'`).join(', ')})`;
const isMembership = "body ->> 'type' IN ('member_invited', 'member_removed')";
const isTurn = "body ->> 'type' = 'turn_opened'";

const tables = `
  CREATE TABLE IF NOT EXISTS sessions(
    session TEXT PRIMARY KEY, epoch INTEGER NOT NULL, last INTEGER NOT NULL, holder TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS events(
    session TEXT NOT NULL, seq INTEGER NOT NULL, epoch INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT;
  ${hostsTable}
  ${blobsTable}
  ${deletionTables}
  ${draftsTable}
  DROP INDEX IF EXISTS commands;
  CREATE INDEX IF NOT EXISTS said_and_decided ON events(session, ${commandKey}) WHERE ${isCommand};
  DROP INDEX IF EXISTS invitations;
  CREATE INDEX IF NOT EXISTS memberships ON events(session, body ->> 'speaker', seq) WHERE ${isMembership};
  PRAGMA user_version = ${schemaVersion};`;

/**
 * Repeats the work while the file is locked, for `busyTimeoutMs`. SQLite itself does not wait to switch the journal's mode, whatever its
 * timeout: two processes that open a new file at once meet there.
 */
function retryWhileLocked<T>(work: () => T): T {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let left = busyTimeoutMs / lockPauseMs; ; left--) {
    try {
      return work();
    } catch (error) {
      if (left <= 0 || !/database is locked/.test(String(error))) throw error;
      Atomics.wait(pause, 0, 0, lockPauseMs);
    }
  }
}

/** Identifies the files at a path: another file there has another device or inode. */
const identify = (path: string): string =>
  [path, `${path}-wal`]
    .map((file) => statSync(file, { bigint: true }))
    .map(({ dev, ino }) => `${dev}:${ino}`)
    .join();

function prepareTables(db: DatabaseSync): void {
  const switchToWal = () => db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (retryWhileLocked(switchToWal) !== 'wal')
    throw new StoreFailed('The file system cannot hold a write-ahead log: put the store on a local disk.');
  db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
  const synchronous = db.prepare('PRAGMA synchronous').get()?.['synchronous'];
  if (synchronous !== syncsEachCommit)
    throw new StoreFailed(
      `PRAGMA synchronous is ${synchronous}, not ${syncsEachCommit} (FULL): this SQLite does not sync each commit. Use another build of Node.js.`,
    );
  db.exec('BEGIN IMMEDIATE');
  const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
  if (typeof version !== 'number' || version > schemaVersion)
    throw new StoreFailed(`The file has version ${version}; this is version ${schemaVersion}.`);
  db.exec(tables);
  prepareIndex(db);
  db.exec('COMMIT');
}

/** A draft has events, and no `last` (src/adapters/stores/sqlite-drafts.ts). `+`: the condition chooses no index. */
const ofSession = 'session = ?1 AND +seq <= (SELECT last FROM sessions WHERE session = ?1)';

interface Statements {
  readonly head: StatementSync;
  readonly insertSession: StatementSync;
  readonly claim: StatementSync;
  readonly release: StatementSync;
  readonly advance: StatementSync;
  readonly insertEvent: StatementSync;
  readonly holds: StatementSync;
  readonly redact: StatementSync;
  readonly findCommand: StatementSync;
  readonly findMembership: readonly StatementSync[];
  readonly readEvents: StatementSync;
  readonly readNewest: StatementSync;
  readonly list: StatementSync;
  readonly create: StatementSync;
  readonly empty: StatementSync;
  readonly deleteEvents: StatementSync;
}

const prepareStatements = (db: DatabaseSync): Statements => ({
  head: db.prepare('SELECT epoch, last, holder FROM sessions WHERE session = ?'),
  insertSession: db.prepare('INSERT INTO sessions VALUES (?, 1, 0, ?) ON CONFLICT DO NOTHING'),
  claim: db.prepare('UPDATE sessions SET epoch = epoch + 1, holder = ? WHERE session = ? AND epoch = ?'),
  release: db.prepare('UPDATE sessions SET holder = NULL WHERE session = ? AND epoch = ?'),
  advance: db.prepare('UPDATE sessions SET last = ? WHERE session = ? AND epoch = ? AND last = ?'),
  insertEvent: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?)'),
  holds: db.prepare('SELECT 1 FROM sessions WHERE session = ? AND epoch = ? AND holder IS NOT NULL'),
  redact: db.prepare("UPDATE events SET body = ? WHERE session = ? AND seq = ? AND body ->> 'type' = ?"),
  findCommand: db.prepare(
    `SELECT seq, epoch, body FROM events WHERE ${isCommand} AND ${ofSession} AND (${commandKey}) = (?2, ?3) ORDER BY seq LIMIT 1`,
  ),
  findMembership: [
    'seq = 1 AND ?2 IS NOT NULL ORDER BY seq',
    `${isTurn} AND ?2 IS NOT NULL ORDER BY seq`,
    `${isCommand} AND ${isTurn} AND ${commandSpeaker} = ?2 ORDER BY seq`,
    `${isMembership} AND body ->> 'speaker' = ?2 ORDER BY seq DESC`,
  ].map((condition) => db.prepare(`SELECT seq, epoch, body FROM events WHERE ${ofSession} AND ${condition} LIMIT 1`)),
  readEvents: db.prepare(`SELECT seq, epoch, body FROM events WHERE ${ofSession} AND seq > ?2 ORDER BY seq LIMIT ?3`),
  // rows have their places in the order of their writing; those of epoch 0 are copies of older ones
  readNewest: db.prepare(
    'SELECT rowid AS place, body FROM events WHERE rowid < ? AND epoch > 0 ORDER BY rowid DESC LIMIT ?',
  ),
  list: db.prepare('SELECT session FROM sessions WHERE last > 0 AND session > ? ORDER BY session LIMIT ?'),
  create: db.prepare(
    `INSERT INTO sessions VALUES (?1, ?2 + 1, ?3, NULL) ON CONFLICT DO UPDATE SET epoch = max(epoch, ?2) + 1, last = excluded.last
     WHERE last = 0 AND holder IS NULL`,
  ),
  // the row stays, with another epoch: a host that has lost the session must not write to a new one of its id
  empty: db.prepare(
    'UPDATE sessions SET last = 0, epoch = epoch + 1 WHERE session = ? AND last > 0 AND holder IS NULL',
  ),
  deleteEvents: db.prepare('DELETE FROM events WHERE session = ?'),
});

/** Returns the reply that rejects a request. */
export const rejection = (id: number, error: unknown): StoreReply => {
  if (error instanceof HeldElsewhere) return { id, error: error.name, session: error.session };
  if (error instanceof BlobTooLarge) {
    const { name, limit, bytes, maxBytes } = error;
    return { id, error: name, limit, bytes, maxBytes };
  }
  const message = errorText(error);
  if (error instanceof Fenced) return { id, error: 'Fenced', message };
  const code = failureCodes.get(Number(fieldsOf(error)['errcode']) & primaryCode);
  return { id, error: 'StoreFailed', message, ...(code !== undefined && { code }) };
};

/** What is beside these bits of an error code of SQLite is a detail. */
const primaryCode = 0xff;
/** Failures that the one on call can do something about, by SQLite's codes. */
const failureCodes: ReadonlyMap<number, string> = new Map([
  [5, 'SQLITE_BUSY'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
]);

function assertChanged({ changes }: { readonly changes: number | bigint }, session: string, expected: string): void {
  if (Number(changes) !== 1) throw new Fenced(`${session} is not ${expected} by now.`);
}

/** Its methods run in the thread that made it, and block it. */
export class SqliteStore {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #leases: SqliteLeases;
  readonly #blobs: SqliteBlobs;
  readonly #deletions: SqliteDeletions;
  readonly #index: SqliteIndex;
  readonly #drafts: SqliteDrafts;
  readonly #files: string;

  /** Opens the file, and makes it with its folder if it does not exist. Throws if it is no store of this version. `maker`: of the sessions that this thread makes, until it has a lease. */
  constructor(path: string, maker: string) {
    createPrivateFile(path);
    this.#path = path;
    this.#db = new DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      prepareTables(this.#db);
      this.#statements = prepareStatements(this.#db);
      this.#leases = new SqliteLeases(this.#db);
      this.#blobs = new SqliteBlobs(this.#db);
      this.#deletions = new SqliteDeletions(this.#db);
      this.#index = new SqliteIndex(this.#db);
      this.#drafts = new SqliteDrafts(this.#db, maker, { leases: this.#leases, deletions: this.#deletions });
      this.#files = identify(path);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Commits the writes together, then does the reads. Throws if the file at the path is another one by now: nothing is known to be written. */
  process(writes: readonly WriteMessage[], reads: readonly ReadMessage[]): StoreReply[] {
    const written = this.#commit(writes);
    // outside any transaction: they return nothing that may yet be rolled back
    const found = reads.map(({ id, request }) => ({ id, value: this.#read(request) }));
    if (identify(this.#path) !== this.#files)
      throw new StoreFailed(`${this.#path} has been replaced by another file. Start again to use that one.`);
    return [...written, ...found];
  }

  /** Removes a slice of what dead makers have left, or indexes one of what is not indexed yet. Returns whether there may be more. */
  doSlice(): boolean {
    return this.#drafts.removeDead() || this.#index.indexSlice();
  }

  close(): void {
    this.#db.close();
  }

  #commit(messages: readonly WriteMessage[]): StoreReply[] {
    const db = this.#db;
    if (messages.length === 0) return [];
    try {
      db.exec('BEGIN IMMEDIATE');
      const replies = this.#writeTogether(messages) ?? messages.map((message) => this.#writeAlone(message));
      db.exec('COMMIT');
      return replies;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      return messages.map(({ id }) => rejection(id, error));
    }
  }

  /** Returns null if one of them cannot be done: then none is. */
  #writeTogether(messages: readonly WriteMessage[]): StoreReply[] | null {
    const db = this.#db;
    try {
      return messages.map(({ id, request }) => ({ id, value: this.#write(request) }));
    } catch (error) {
      if (!db.isTransaction) throw error; // SQLite itself has rolled all of it back: the disk is full or broken
      db.exec('ROLLBACK; BEGIN IMMEDIATE');
      return null;
    }
  }

  #writeAlone({ id, request }: WriteMessage): StoreReply {
    const db = this.#db;
    db.exec('SAVEPOINT alone');
    try {
      const value = this.#write(request);
      db.exec('RELEASE alone');
      return { id, value };
    } catch (error) {
      if (!db.isTransaction) throw error; // SQLite itself has rolled all of it back: the disk is full or broken
      db.exec('ROLLBACK TO alone; RELEASE alone');
      return rejection(id, error);
    }
  }

  #write(request: WriteRequest): unknown {
    const { insertSession, claim, release, advance, insertEvent } = this.#statements;
    switch (request.op) {
      case 'startLease':
        this.#drafts.maker = request.host.id;
        return this.#leases.start(request.host, request.leaseMs);
      case 'renewLease':
        return this.#leases.renew(request.host, request.leaseMs);
      case 'endLease':
        return this.#leases.endLease(request.host);
      case 'claim': {
        const { session, expectedEpoch, host } = request;
        this.#leases.takeOver(session, host);
        this.#drafts.removeFor(session);
        const isFirst = expectedEpoch === 0;
        const change = isFirst ? insertSession.run(session, host) : claim.run(host, session, expectedEpoch);
        assertChanged(change, session, `in epoch ${expectedEpoch}`);
        return expectedEpoch + 1;
      }
      case 'release': {
        const { session, epoch } = request;
        return assertChanged(release.run(session, epoch), session, `in epoch ${epoch}`);
      }
      case 'append': {
        const { session, epoch, expectedSeq, bodies } = request;
        const last = expectedSeq + bodies.length;
        const change = advance.run(last, session, epoch, expectedSeq);
        assertChanged(change, session, `in epoch ${epoch} at ${expectedSeq}`);
        for (const [i, body] of bodies.entries()) insertEvent.run(session, expectedSeq + i + 1, epoch, body);
        return last;
      }
      case 'startDraft':
        return this.#drafts.start(request.session, request.maker);
      case 'addToDraft': {
        const session = this.#drafts.sessionOf(request.draft, request.maker);
        for (const [i, { epoch, body }] of request.events.entries())
          insertEvent.run(session, request.after + i + 1, epoch, body);
        return;
      }
      case 'finishDraft': {
        const session = this.#drafts.sessionOf(request.draft, request.maker);
        this.#drafts.endDraft(request.draft);
        assertChanged(this.#statements.create.run(session, request.epoch, request.count), session, 'unused');
        return this.#blobs.copy(session, request.blobs);
      }
      case 'giveUpDraft':
        return this.#drafts.giveUp(request.draft);
      case 'redact':
        return this.#redact(request);
      case 'startSpeakerDeletion':
        return this.#deletions.start(request.deletion);
      case 'forgetSpeakerDeletion':
        return this.#deletions.forgetSpeaker(request.speaker);
      case 'deleteSession':
        return this.#deleteSession(request.session);
      case 'putBlobs':
        return this.#blobs.put(request.session, request.blobs, request.limits);
      case 'keepOnlyBlobs':
        return this.#blobs.keepOnly(request.session, request.blobs);
      case 'deleteBlobs':
        return this.#blobs.deleteAll(request.session);
    }
  }

  #deleteSession(session: string): Deletion {
    const { head, empty, deleteEvents } = this.#statements;
    if (Number(empty.run(session).changes) === 0)
      return Number(head.get(session)?.['last'] ?? 0) > 0 ? 'held' : 'unknown';
    deleteEvents.run(session);
    this.#blobs.deleteAll(session);
    this.#deletions.note();
    return 'deleted';
  }

  #redact({ session, epoch, seq, type, body }: WriteRequest & { readonly op: 'redact' }): void {
    const { holds, redact } = this.#statements;
    if (!holds.get(session, epoch)) throw new Fenced(`${session} is not held in epoch ${epoch} by now.`);
    const { changes } = redact.run(body, session, seq, type);
    if (Number(changes) !== 1) throw new StoreFailed(`${session} has no event ${seq} of the type ${type}.`);
    this.#deletions.note();
  }

  #read(request: ReadRequest): unknown {
    const { head, findCommand, findMembership, readEvents, readNewest } = this.#statements;
    switch (request.op) {
      case 'head':
        return { epoch: 0, last: 0, holder: null, ...head.get(request.session) };
      case 'orphaned':
        return this.#leases.orphaned();
      case 'hosts':
        return this.#leases.list();
      case 'speakerDeletions':
        return this.#deletions.list();
      case 'purge':
        return this.#deletions.purge(request.maxBytes);
      case 'findCommand': {
        const { session, speaker, ref } = request;
        const row = findCommand.get(session, speaker, ref);
        return row ? { ...row } : null;
      }
      case 'findMembership': {
        const { session, speaker } = request;
        const found = findMembership.map((statement) => statement.get(session, speaker));
        const rows = found.filter((row) => row !== undefined);
        return [...new Map(rows.map((row) => [row['seq'], { ...row }])).values()]; // an event may be found twice
      }
      case 'readNewest':
        return readNewest.all(request.before ?? Number.MAX_SAFE_INTEGER, request.limit).map((row) => ({ ...row }));
      case 'listSessions':
        return this.#statements.list.all(request.after ?? '', request.limit).map((row) => row['session']);
      case 'findSessions':
        return this.#index.find(request);
      case 'readBlob':
        return this.#blobs.read(request.session, request.blob);
      case 'read':
        return readEvents.all(request.session, request.afterSeq, request.limit).map((row) => ({ ...row }));
    }
  }
}
