// Removes from a SQLite file the traces of deleted and redacted events, and keeps the deletions of speakers that have not ended.
//
// 1. `secure_delete` overwrites what is deleted, but no copy that an earlier move of a row to another page has left. Only a file that was written again has none.
// 2. The write-ahead log has the older pages, until a checkpoint truncates it. None can while a reader needs them.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { quoteRules } from '../../../machines/vocabulary.ts';
import type { LogBody, LogDeletions, Purge, SpeakerDeletion } from '../../core/contracts/log.ts';
import type { DeletionReadRequest, DeletionWriteRequest } from './sqlite-messages.ts';

/** `deletions`: transactions that have deleted or redacted. `rewritten`: how many of them the last rewriting covers. No row: nothing remains. */
export const deletionTables = `CREATE TABLE IF NOT EXISTS unpurged(
    id INTEGER PRIMARY KEY CHECK (id = 1), deletions INTEGER NOT NULL, rewritten INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS speaker_deletions(
    speaker TEXT PRIMARY KEY, pseudonym TEXT NOT NULL, quotes TEXT NOT NULL
  ) STRICT;`;

interface Statements {
  readonly note: StatementSync;
  readonly unpurged: StatementSync;
  readonly noteRewriting: StatementSync;
  readonly forget: StatementSync;
  readonly start: StatementSync;
  readonly find: StatementSync;
  readonly list: StatementSync;
  readonly forgetSpeaker: StatementSync;
}

const prepareStatements = (db: DatabaseSync): Statements => ({
  note: db.prepare('INSERT INTO unpurged VALUES (1, 1, 0) ON CONFLICT DO UPDATE SET deletions = deletions + 1'),
  unpurged: db.prepare('SELECT deletions, rewritten FROM unpurged'),
  noteRewriting: db.prepare('UPDATE unpurged SET rewritten = ?'),
  forget: db.prepare('DELETE FROM unpurged WHERE deletions = ? AND rewritten = deletions'),
  start: db.prepare(
    'INSERT INTO speaker_deletions VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET quotes = excluded.quotes',
  ),
  find: db.prepare('SELECT speaker, pseudonym, quotes FROM speaker_deletions WHERE speaker = ?'),
  list: db.prepare('SELECT speaker, pseudonym, quotes FROM speaker_deletions ORDER BY speaker'),
  forgetSpeaker: db.prepare('DELETE FROM speaker_deletions WHERE speaker = ?'),
});

/** Its methods, but `purge`, are parts of a transaction of src/adapters/stores/sqlite-store.ts. */
export class SqliteDeletions {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#statements = prepareStatements(db);
  }

  /** Notes that something was deleted: the file is to be purged. */
  note(): void {
    this.#statements.note.run();
  }

  start({ speaker, pseudonym, quotes }: SpeakerDeletion): SpeakerDeletion {
    const { start, find } = this.#statements;
    start.run(speaker, pseudonym, quotes);
    return deletionOf(find.get(speaker) ?? {});
  }

  list(): readonly SpeakerDeletion[] {
    return this.#statements.list.all().map(deletionOf);
  }

  /** The name of the speaker was in the file until now. */
  forgetSpeaker(speaker: string): void {
    if (Number(this.#statements.forgetSpeaker.run(speaker).changes) > 0) this.note();
  }

  /** See `Log.purge`. Called outside any transaction. */
  purge(maxBytes: number): Purge {
    const { unpurged, noteRewriting, forget } = this.#statements;
    const { deletions, rewritten } = unpurged.get() ?? {};
    if (deletions === undefined) return { remains: 'nothing', rewriteBytes: 0 };
    if (deletions !== rewritten) {
      const rewriteBytes = this.#bytes();
      if (rewriteBytes > maxBytes || !this.#isRewritten()) return { remains: 'until_rewritten', rewriteBytes };
      noteRewriting.run(Number(deletions));
    }
    if (!this.#isTruncated()) return { remains: 'until_read', rewriteBytes: 0 };
    forget.run(Number(deletions));
    return { remains: 'nothing', rewriteBytes: 0 };
  }

  #bytes(): number {
    const { bytes } =
      this.#db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get() ?? {};
    return Number(bytes);
  }

  /** Returns false if another process writes, or the disk has no room for a second copy. */
  #isRewritten(): boolean {
    try {
      this.#db.exec('VACUUM');
      return true;
    } catch {
      return false;
    }
  }

  /** Moves the write-ahead log into the file, and empties it. Returns false while a reader needs it: it is not waited for, because writes would wait, too. */
  #isTruncated(): boolean {
    const timeout = this.#db.prepare('PRAGMA busy_timeout').get()?.['timeout'];
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${Number(timeout)}`);
    }
  }
}

const deletionOf = ({ speaker, pseudonym, quotes }: Readonly<Record<string, unknown>>): SpeakerDeletion => ({
  speaker: String(speaker),
  pseudonym: String(pseudonym),
  quotes: quoteRules.find((rule) => rule === quotes) ?? 'own',
});

interface DeletionRequests {
  /** Resolves with the value of a reply. */
  write<Value>(request: DeletionWriteRequest): Promise<Value>;
  read<Value>(request: DeletionReadRequest): Promise<Value>;
}

/** The deletions of a log: each operation is a request to the thread that writes the file. */
export class SqliteDeletionRequests implements LogDeletions {
  readonly #requests: DeletionRequests;

  constructor(requests: DeletionRequests) {
    this.#requests = requests;
  }

  async redact(session: string, epoch: number, seq: number, body: LogBody): Promise<void> {
    const replaced = { type: body.type, body: JSON.stringify(body) };
    await this.#requests.write({ op: 'redact', session, epoch, seq, ...replaced });
  }

  purge(maxBytes: number): Promise<Purge> {
    return this.#requests.read({ op: 'purge', maxBytes });
  }

  startSpeaker(deletion: SpeakerDeletion): Promise<SpeakerDeletion> {
    return this.#requests.write({ op: 'startSpeakerDeletion', deletion });
  }

  listSpeakers(): Promise<readonly SpeakerDeletion[]> {
    return this.#requests.read({ op: 'speakerDeletions' });
  }

  forgetSpeaker(speaker: string): Promise<void> {
    return this.#requests.write({ op: 'forgetSpeakerDeletion', speaker });
  }
}
