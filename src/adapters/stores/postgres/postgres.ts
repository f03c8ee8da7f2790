// The log in PostgreSQL, for hosts on several machines that share their sessions.
import type { ConnectionOptions } from 'node:tls';
import type { Pool } from 'pg';
import {
  type Deletion,
  Fenced,
  type Host,
  type LeasedHost,
  type Log,
  type LogBody,
  type LoggedEvent,
  type LogHead,
  type NewestEvents,
  StoreFailed,
} from '../../../core/contracts/log.ts';
import { systemSources } from '../../../core/sources/system.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { runInSlices } from '../../../core/transcript/in-slices.ts';
import { AppendQueue } from './append-queue.ts';
import { connectError, refusePooler } from './detect-pooler.ts';
import {
  columnValues,
  encodeEvent,
  eventColumns,
  eventOf,
  eventsFrom,
  type SelectedEvent,
  stepsToEncode,
} from './event-rows.ts';
import { logError } from './failures.ts';
import { findIndexedSessions } from './find-sessions.ts';
import { copyBlobs, deleteBlobs, PostgresBlobs } from './postgres-blobs.ts';
import { noteDeletion, PostgresDeletions } from './postgres-deletions.ts';
import { PostgresLeases } from './postgres-leases.ts';
import { PostgresMigration } from './postgres-migration.ts';
import { prepareTables, schemaVersion } from './postgres-schema.ts';
import { SessionWords } from './session-words.ts';
import { Transactions, withClient } from './transactions.ts';

export interface PostgresLogOptions {
  /** The host of the server, or the folder of its socket. */
  readonly host: string;
  /** The port of the server. Default: 5432. */
  readonly port?: number | undefined;
  readonly database: string;
  readonly user: string;
  /** Returns the password for a new connection. Left out: `PGPASSWORD`, or the file that `PGPASSFILE` names. */
  readonly password?: (() => string | Promise<string>) | undefined;
  /** TLS; `true` verifies the certificate of the server by the authorities that Node knows. Default: none. */
  readonly tls?: boolean | ConnectionOptions | undefined;
  /** Connections at a time, 2 at least. Default: 5. */
  readonly connections?: number | undefined;
}

/** How long a connection and a statement may take, in milliseconds. */
const connectMs = 5_000;
const statementMs = 30_000;

class PostgresLog implements Log {
  readonly blobs: PostgresBlobs;
  readonly deletions: PostgresDeletions;
  failures = 0;
  readonly #pool: Pool;
  readonly #transactions: Transactions;
  readonly #appends: AppendQueue;
  readonly #leases = new PostgresLeases(systemSources.clock);
  readonly #words: SessionWords;
  /** The version of the schema, as it was read last. */
  #version: number;
  #closed: Promise<void> | null = null;

  constructor(pool: Pool, version: number) {
    this.#pool = pool;
    this.#version = version;
    const onFailure = () => {
      this.failures += 1;
      this.#leases.forgetSeen();
    };
    pool.on('error', onFailure); // of a connection that does nothing
    this.#transactions = new Transactions(pool, onFailure);
    this.#appends = new AppendQueue(pool);
    this.blobs = new PostgresBlobs(this.#transactions);
    this.deletions = new PostgresDeletions(this.#transactions);
    this.#words = new SessionWords(this.#transactions);
  }

  /** The search of sessions. Undefined until the schema has an index: sessions are listed by their names then. */
  get findSessions(): Log['findSessions'] {
    return this.#version < schemaVersion ? undefined : this.#find;
  }

  async head(session: string): Promise<LogHead> {
    const { rows } = await this.#transactions.query<{ epoch: number; last: number; holder: string | null }>(
      'SELECT epoch::float8 AS epoch, last::float8 AS last, holder FROM sessions WHERE session = $1',
      [session],
    );
    return rows[0] ?? { epoch: 0, last: 0, holder: null };
  }

  claim(session: string, expectedEpoch: number, host: string): Promise<number> {
    return this.#transactions.run(async (client) => {
      await this.#leases.takeOver(client, session, host);
      const { rowCount } =
        expectedEpoch === 0
          ? await client.query('INSERT INTO sessions VALUES ($1, 1, 0, $2) ON CONFLICT DO NOTHING', [session, host])
          : await client.query('UPDATE sessions SET epoch = epoch + 1, holder = $1 WHERE session = $2 AND epoch = $3', [
              host,
              session,
              expectedEpoch,
            ]);
      if (rowCount !== 1) throw new Fenced(`${session} is not in epoch ${expectedEpoch} by now.`);
      return expectedEpoch + 1;
    });
  }

  async release(session: string, epoch: number): Promise<void> {
    const { rowCount } = await this.#transactions.query(
      'UPDATE sessions SET holder = NULL WHERE session = $1 AND epoch = $2 AND holder IS NOT NULL',
      [session, epoch],
    );
    if (rowCount !== 1) throw new Fenced(`${session} is not in epoch ${epoch} by now.`);
  }

  orphaned(): Promise<readonly string[]> {
    return this.#transactions.borrow((client) => this.#leases.orphaned(client));
  }

  startLease(host: Host, leaseMs: number): Promise<void> {
    return this.#transactions.run((client) => this.#leases.start(client, host, leaseMs));
  }

  async renewLease(host: string, leaseMs: number): Promise<void> {
    this.#version = await this.#transactions.borrow((client) => this.#leases.renew(client, host, leaseMs));
  }

  endLease(host: string): Promise<void> {
    return this.#transactions.borrow((client) => this.#leases.endLease(client, host));
  }

  hosts(): Promise<readonly LeasedHost[]> {
    return this.#transactions.borrow((client) => this.#leases.list(client));
  }

  async countHeld(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#transactions.query<{ readonly holder: string; readonly sessions: number }>(
      'SELECT holder, count(*)::int AS sessions FROM sessions WHERE holder IS NOT NULL GROUP BY holder',
      [],
    );
    return new Map(rows.map(({ holder, sessions }) => [holder, sessions]));
  }

  async append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number> {
    const events = bodies.map((body, i) => encodeEvent(session, expectedSeq + i + 1, body)); // now: the caller may change its own
    const last = await this.#transactions.track(() => this.#appends.add({ session, epoch, expectedSeq, events }));
    if (this.#version >= schemaVersion) this.#words.onCommitted(events);
    return last;
  }

  readonly #find: NonNullable<Log['findSessions']> = async (search, after, limit) => {
    if (search.turn?.words) await this.#words.indexForSearch();
    return findIndexedSessions(this.#transactions, search, { after, limit });
  };

  async read(session: string, afterSeq: number, limit?: number): Promise<readonly LoggedEvent[]> {
    const { rows } = await this.#transactions.query<SelectedEvent>(
      `SELECT ${eventColumns} FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [session, afterSeq, limit ?? null],
    );
    return rows.map(eventOf);
  }

  async findCommand(session: string, speaker: string, ref: string): Promise<LoggedEvent | null> {
    const { rows } = await this.#transactions.query<SelectedEvent>(
      `SELECT ${eventColumns} FROM events WHERE session = $1 AND speaker = $2 AND ref = $3 ORDER BY seq LIMIT 1`,
      [session, speaker, ref],
    );
    return rows[0] ? eventOf(rows[0]) : null;
  }

  async readNewest(before: number | null, limit: number): Promise<NewestEvents> {
    const { rows } = await this.#transactions.query<{ readonly place: number; readonly body: string }>(
      `SELECT place::float8 AS place, body FROM events WHERE ($1::bigint IS NULL OR place < $1) AND epoch > 0
       ORDER BY place DESC LIMIT $2`,
      [before, limit],
    );
    const next = rows.length < limit ? null : (rows.at(-1)?.place ?? null);
    return { bodies: rows.map(({ body }) => JSON.parse(body) as LogBody), next }; // only `append` writes bodies
  }

  async findMembership(session: string, speaker: string): Promise<readonly LoggedEvent[]> {
    const { rows } = await this.#transactions.query<SelectedEvent>(
      `SELECT ${eventColumns} FROM events WHERE session = $1 AND seq IN (
         SELECT 1
         UNION (SELECT seq FROM events WHERE session = $1 AND type = 'turn_opened' ORDER BY seq LIMIT 1)
         UNION (SELECT seq FROM events WHERE session = $1 AND type = 'turn_opened' AND speaker = $2 ORDER BY seq LIMIT 1)
         UNION (SELECT seq FROM events WHERE session = $1 AND type IN ('member_invited', 'member_removed') AND speaker = $2 ORDER BY seq DESC LIMIT 1)
       ) ORDER BY seq`,
      [session, speaker],
    );
    return rows.map(eventOf);
  }

  async listSessions(after: string | null, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#transactions.query<{ readonly session: string }>(
      'SELECT session FROM sessions WHERE last > 0 AND session > $1 ORDER BY session LIMIT $2',
      [after ?? '', limit],
    );
    return rows.map(({ session }) => session);
  }

  async createSession(
    ...[session, bodies, blobs, origin]: Parameters<NonNullable<Log['createSession']>>
  ): Promise<void> {
    const { epoch, epochs } = origin ?? { epoch: 0, epochs: [] };
    const slices = await runInSlices(stepsToEncode(session, bodies));
    await this.#transactions.run(async (client) => {
      const { rowCount } = await client.query(
        `INSERT INTO sessions VALUES ($1, $2::bigint + 1, $3, NULL)
         ON CONFLICT (session) DO UPDATE SET epoch = greatest(sessions.epoch, $2) + 1, last = excluded.last
         WHERE sessions.last = 0 AND sessions.holder IS NULL`,
        [session, epoch, bodies.length],
      );
      if (rowCount !== 1) throw new Fenced(`${session} is not unused by now.`);
      for (const slice of slices)
        await client.query(
          `INSERT INTO events(session, seq, epoch, type, speaker, ref, body)
           SELECT session, seq, ($7::bigint[])[seq - $8], type, speaker, ref, body FROM ${eventsFrom(1)}`,
          [...columnValues(slice), slice.map(({ seq }) => epochs[seq - 1] ?? 0), (slice[0]?.seq ?? 1) - 1],
        );
      await copyBlobs(client, session, blobs);
    });
  }

  deleteSession(session: string): Promise<Deletion> {
    return this.#transactions.run(async (client) => {
      const { rowCount } = await client.query(
        'UPDATE sessions SET last = 0, epoch = epoch + 1 WHERE session = $1 AND last > 0 AND holder IS NULL',
        [session],
      );
      if (rowCount !== 1) {
        const { rowCount: has } = await client.query('SELECT 1 FROM sessions WHERE session = $1 AND last > 0', [
          session,
        ]);
        return has === 1 ? 'held' : 'unknown';
      }
      await client.query('DELETE FROM events WHERE session = $1', [session]);
      await deleteBlobs(client, session);
      await client.query(noteDeletion);
      return 'deleted';
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#transactions.close().then(() => this.#pool.end());
    return this.#closed;
  }
}

async function loadPool(): Promise<typeof Pool> {
  try {
    return (await import('pg')).default.Pool;
  } catch (error) {
    throw new StoreFailed(`A log in PostgreSQL needs the package pg: npm install pg. ${errorText(error)}`, {
      cause: error,
    });
  }
}

async function openPool(options: PostgresLogOptions): Promise<Pool> {
  const { host, port = 5_432, database, user, password, tls, connections = 5 } = options;
  if (!(connections >= 2)) throw new RangeError(`connections is ${connections}: a log needs 2 at least.`);
  const PoolClass = await loadPool();
  const pool = new PoolClass({
    host,
    port,
    database,
    user,
    max: connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs,
    application_name: 'belay',
    allowExitOnIdle: true,
    keepAlive: true,
    ...(password && { password }),
    ...(tls !== undefined && { ssl: tls }),
  });
  // the pool listens to a connection that is idle alone: one that the server ends while it is being closed would end the process
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** The versions of a schema before and after a migration; they are the same where there was nothing to do. */
export interface Migration {
  readonly from: number;
  readonly to: number;
}

/**
 * Opens a log in PostgreSQL 15 or newer, and makes its tables in the database where there are none. Rejects with `StoreFailed`, which says why, if the server cannot be reached, is
 * a replica, is too old, does not keep each commit (`fsync`, `full_page_writes` or `synchronous_commit` is off), or is behind a pooler that gives a connection to another client after
 * each transaction.
 */
export async function createPostgresLog(options: PostgresLogOptions): Promise<Log> {
  const pool = await openPool(options);
  try {
    await refusePooler(pool);
    return new PostgresLog(pool, await withClient(pool, prepareTables));
  } catch (error) {
    await pool.end();
    throw logError(connectError(error));
  }
}

/**
 * Brings the schema of a database to the version of this program, while hosts run on it, and of the version before it. It goes on where an earlier run was ended. Rejects with
 * `StoreFailed`. `onSession`: called after each session that is indexed.
 */
export async function migratePostgresLog(
  options: PostgresLogOptions,
  onSession: (session: string) => void = () => {},
): Promise<Migration> {
  const pool = await openPool(options);
  try {
    await refusePooler(pool);
    const from = await withClient(pool, prepareTables);
    if (from >= schemaVersion) return { from, to: from };
    const transactions = new Transactions(pool, () => {});
    await new PostgresMigration(transactions).run(onSession);
    return { from, to: schemaVersion };
  } catch (error) {
    throw logError(connectError(error));
  } finally {
    await pool.end();
  }
}
