// Reads a store without changing it: beside a gateway that is running on it, or when that gateway is dead.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import { type HostProcess, StoreFailed } from '../../core/contracts/log.ts';
import { errorText } from '../../core/text/error-text.ts';
import { readHostText } from './host-text.ts';

/** A session as the store knows it, without its facts. */
export interface StoredSession {
  readonly session: string;
  /** The sequence number of the last fact. */
  readonly last: number;
  /** The host that has claimed it, and has not released it. Null: none has. */
  readonly holder: StoredHolder | null;
}

export interface StoredHolder {
  readonly host: string;
  /** The process of the host; null: unknown, also of a host whose lease was ended. */
  readonly process: HostProcess | null;
  /** It is the gateway that has listed the session, and runs. Left out: the session was read from a file. */
  readonly isAsked?: true;
}

/** Above it there is only what is being made (src/adapters/stores/sqlite-drafts.ts). */
const lastOf = (session: string) => `SELECT last FROM sessions s WHERE s.session = ${session}`;

const tablesQuery = "SELECT name FROM sqlite_schema WHERE type = 'table'";

export class StoreReader {
  readonly #db: DatabaseSync;
  readonly #tables: ReadonlySet<string>;

  /** Opens the file for reading. Throws `StoreFailed` if it does not exist, or is no store. */
  constructor(path: string) {
    if (!existsSync(path)) throw new StoreFailed(`There is no file ${path}.`);
    this.#db = openForReading(path);
    try {
      this.#tables = new Set(
        this.#db
          .prepare(tablesQuery)
          .all()
          .map(({ name }) => String(name)),
      );
      if (!this.#tables.has('events') || !this.#tables.has('sessions')) throw new Error('it has no transcripts');
    } catch (error) {
      this.#db.close();
      throw new StoreFailed(`The file ${path} is no store: ${errorText(error)}.`, { cause: error });
    }
  }

  /** Returns the sessions that have facts, in the order of their ids. */
  sessions(): readonly StoredSession[] {
    const rows = this.#db.prepare('SELECT session, last, holder FROM sessions WHERE last > 0 ORDER BY session').all();
    const processes = this.#processes();
    return rows.map(({ session, last, holder }) => ({
      session: String(session),
      last: Number(last),
      holder: holder === null ? null : { host: String(holder), process: processes.get(String(holder)) ?? null },
    }));
  }

  /** Yields the facts of a session in their order; none if there is no such session. */
  *facts(session: string): Generator<SequencedFact, void, void> {
    const query = `SELECT seq, body FROM events WHERE session = ?1 AND seq <= (${lastOf('?1')}) ORDER BY seq`;
    const rows = this.#db.prepare(query).iterate(session);
    for (const { seq, body } of rows) yield { seq: Number(seq), fact: JSON.parse(String(body)) as RecordedFact }; // only journals write events
  }

  /** Returns the ids of the sessions with a fact that holds this text as a JSON string. */
  sessionsWith(text: string): readonly string[] {
    const query = `SELECT DISTINCT session FROM events
      WHERE instr(body, ?) > 0 AND seq <= (${lastOf('events.session')}) ORDER BY session`;
    return this.#db
      .prepare(query)
      .all(JSON.stringify(text))
      .map(({ session }) => String(session));
  }

  /** Yields the ids and bytes of the blobs of a session. */
  *blobs(session: string): Generator<{ readonly id: string; readonly data: Uint8Array }, void, void> {
    if (!this.#tables.has('blobs')) return; // of an earlier version
    const rows = this.#db.prepare('SELECT id, data FROM blobs WHERE session = ? ORDER BY rowid').iterate(session);
    for (const { id, data } of rows) yield { id: String(id), data: data as Uint8Array }; // the type of the column
  }

  /** Writes a copy of the whole store, as of one moment, into a file that does not exist. Throws `StoreFailed`. */
  copyTo(path: string): void {
    try {
      this.#db.prepare('VACUUM INTO ?').run(path);
    } catch (error) {
      throw new StoreFailed(`The copy ${path} cannot be written: ${errorText(error)}.`, { cause: error });
    }
  }

  close(): void {
    this.#db.close();
  }

  #processes(): ReadonlyMap<string, HostProcess | null> {
    if (!this.#tables.has('hosts')) return new Map(); // of an earlier version
    const rows = this.#db.prepare('SELECT host, process FROM hosts').all();
    return new Map(
      rows.map(({ host, process }) => [
        String(host),
        readHostText(typeof process === 'string' ? process : null).process,
      ]),
    );
  }
}

function openForReading(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  } catch (error) {
    throw new StoreFailed(`The file ${path} cannot be opened: ${errorText(error)}.`, { cause: error });
  }
}
