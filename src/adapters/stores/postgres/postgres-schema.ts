// The tables of a PostgreSQL log, and what a server must be for it to be kept.
//
// 1. A version opens the schema of the version before it and of the one after it, so that hosts can be replaced one by one. Opening changes no schema that is there.
// 2. A version may therefore add tables, triggers and columns with a default; what it does not need any more goes with the version after it.
import type { ClientBase } from 'pg';
import { StoreFailed } from '../../../core/contracts/log.ts';
import { indexTables } from './index-tables.ts';

/** The version that a new database gets, and that `belay migrate` brings another one to. Version 2 has the index of sessions. */
export const schemaVersion = 2;
const oldestServer = 150_000; // as `server_version_num` has it

/** Held while the tables are made: two hosts may start at once. */
const schemaLock = 4_202_116;

/**
 * `body`: a JSON text, and not `jsonb`, which refuses some characters that a speaker may say. What is searched for stands beside it: the type, and of an event that records a
 * command its speaker and ref. `place`: the order of writing.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS sessions(
    session TEXT COLLATE "C" PRIMARY KEY, epoch BIGINT NOT NULL, last BIGINT NOT NULL, holder TEXT
  );
  CREATE TABLE IF NOT EXISTS events(
    session TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, epoch BIGINT NOT NULL, type TEXT NOT NULL, speaker TEXT, ref TEXT, body TEXT NOT NULL,
    place BIGINT GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (session, seq)
  );
  CREATE INDEX IF NOT EXISTS said_and_decided ON events(session, speaker, ref) WHERE speaker IS NOT NULL;
  CREATE INDEX IF NOT EXISTS memberships ON events(session, type, speaker, seq);
  CREATE INDEX IF NOT EXISTS places ON events(place);
  CREATE TABLE IF NOT EXISTS hosts(
    host TEXT PRIMARY KEY, name TEXT NOT NULL, process TEXT, renewals BIGINT NOT NULL, lease_ms BIGINT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS blobs(
    session TEXT COLLATE "C" NOT NULL, id TEXT NOT NULL, size BIGINT NOT NULL, data BYTEA NOT NULL,
    place BIGINT GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (session, id)
  );
  CREATE TABLE IF NOT EXISTS unpurged(id INT PRIMARY KEY CHECK (id = 1), deletions BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS speaker_deletions(speaker TEXT COLLATE "C" PRIMARY KEY, pseudonym TEXT NOT NULL, quotes TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS belay_schema(id INT PRIMARY KEY CHECK (id = 1), version INT NOT NULL);
  INSERT INTO belay_schema VALUES (1, ${schemaVersion}) ON CONFLICT DO NOTHING;
  ${indexTables}`;

/** The settings without which a commit may be lost, or cannot be made. */
const settings = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS is_replica`;

/** Runs work in a transaction in which nobody else makes or changes tables. */
export async function changeSchema<Value>(client: ClientBase, work: () => Promise<Value>): Promise<Value> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [schemaLock]);
    const value = await work();
    await client.query('COMMIT');
    return value;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // the connection is gone, and the transaction with it
    throw error;
  }
}

/** Returns the version of the tables; null: there are none. */
async function readVersion(client: ClientBase): Promise<number | null> {
  const { rows: known } = await client.query("SELECT 1 FROM pg_class WHERE oid = to_regclass('belay_schema')");
  if (known.length === 0) return null;
  const { rows } = await client.query<{ readonly version: number }>('SELECT version FROM belay_schema');
  return rows[0]?.version ?? null;
}

/** Makes the tables where there are none. Resolves with their version. Rejects with `StoreFailed`, which says what the server lacks. */
export async function prepareTables(client: ClientBase): Promise<number> {
  const problem = await problemOf(client);
  if (problem !== null) throw new StoreFailed(problem);
  return changeSchema(client, async () => {
    const version = await readVersion(client);
    if (version === null) await client.query(tables);
    else assertOpens(version);
    return version ?? schemaVersion;
  });
}

/** Throws `StoreFailed` unless this version opens the schema (1). */
function assertOpens(version: number): void {
  if (Math.abs(version - schemaVersion) <= 1) return;
  const known = `this version of Belay opens ${schemaVersion - 1} to ${schemaVersion + 1}`;
  const advice =
    version < schemaVersion
      ? 'Bring it forward with the version of Belay between them: belay migrate.'
      : 'Use a newer version of Belay.';
  throw new StoreFailed(`The schema of the database has version ${version}; ${known}. ${advice}`);
}

interface Settings {
  readonly version: number;
  readonly name: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly is_replica: boolean;
}

async function problemOf(client: ClientBase): Promise<string | null> {
  const { rows } = await client.query<Settings>(settings);
  const [found] = rows;
  if (!found) return 'The server does not say what it is.';
  if (found.version < oldestServer) return `PostgreSQL ${found.name} is too old: a log needs 15 or newer.`;
  if (found.is_replica) return 'The server is a replica, which can only be read: a log needs the primary.';
  if (found.fsync === 'off') return 'fsync is off: commits may be lost. Set it to on.';
  if (found.full_page_writes === 'off') return 'full_page_writes is off: commits may be lost. Set it to on.';
  if (found.synchronous_commit === 'off') return 'synchronous_commit is off: commits may be lost. Set it to on.';
  return null;
}
