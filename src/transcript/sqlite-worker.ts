// The thread that owns the SQLite file: it takes all requests that wait, and commits their writes together.
//
// 1. A write is answered after its commit, and after a look whether the file that was written is still the one at its path.
// 2. A write that cannot be done (fenced, too large) fails alone: each has a savepoint in the group's transaction.
// 3. Reads come after the writes of their group, outside any transaction: they tell nothing that may yet be rolled back.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Fenced, StoreFailed } from './log.ts';

type Write =
  | { readonly op: 'claim'; readonly session: string; readonly expectedEpoch: number; readonly holder: string }
  | { readonly op: 'release'; readonly session: string; readonly epoch: number }
  | {
      readonly op: 'append';
      readonly session: string;
      readonly epoch: number;
      readonly expectedSeq: number;
      /** JSON texts. */
      readonly bodies: readonly string[];
    };
type Read =
  | { readonly op: 'head'; readonly session: string }
  | { readonly op: 'held' }
  | { readonly op: 'read'; readonly session: string; readonly afterSeq: number; readonly limit: number };

export type Request = Write | Read | { readonly op: 'close' };
/** A request with the number that its answer will bear. */
export type Letter<R extends Request = Request> = { readonly id: number; readonly request: R };
export type Answer = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: 'Fenced' | 'StoreFailed'; readonly message: string }
);

const schemaVersion = 1;
const busyTimeoutMs = 2_000; // how long another process may hold the file's lock before a write fails
const maxGroup = 512; // requests that share a transaction

const { path } = workerData as { readonly path: string };
const port = parentPort;
if (!port) throw new Error('this file is the program of a worker thread');

type Store = ReturnType<typeof openStore>;
let store: Store | null = null; // opened by the first request that succeeds in it

const lockPauseMs = 20;

/** SQLite does not wait for a lock to switch the journal's mode, whatever its timeout: two that open a new file at once meet there. */
function patiently<T>(work: () => T): T {
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

function openStore() {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    if (patiently(() => db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']) !== 'wal')
      throw new StoreFailed('The file system cannot hold a write-ahead log.');
    db.exec('PRAGMA synchronous = FULL');
    db.exec('BEGIN IMMEDIATE');
    const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version !== 0 && version !== schemaVersion)
      throw new StoreFailed(`The file has version ${version}; this is version ${schemaVersion}.`);
    db.exec(`
      CREATE TABLE IF NOT EXISTS sessions(
        session TEXT PRIMARY KEY, epoch INTEGER NOT NULL, last INTEGER NOT NULL, holder TEXT
      ) STRICT;
      CREATE TABLE IF NOT EXISTS events(
        session TEXT NOT NULL, seq INTEGER NOT NULL, epoch INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (session, seq)
      ) STRICT;
      PRAGMA user_version = ${schemaVersion};
      COMMIT`);
    return {
      db,
      files: filesAt(path),
      found: db.prepare('SELECT epoch, last, holder FROM sessions WHERE session = ?'),
      held: db.prepare('SELECT session FROM sessions WHERE holder IS NOT NULL ORDER BY session'),
      first: db.prepare('INSERT INTO sessions VALUES (?, 1, 0, ?) ON CONFLICT DO NOTHING'),
      claim: db.prepare('UPDATE sessions SET epoch = epoch + 1, holder = ? WHERE session = ? AND epoch = ?'),
      release: db.prepare('UPDATE sessions SET holder = NULL WHERE session = ? AND epoch = ?'),
      advance: db.prepare('UPDATE sessions SET last = ? WHERE session = ? AND epoch = ? AND last = ?'),
      insert: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?)'),
      read: db.prepare('SELECT seq, epoch, body FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?'),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite goes on writing to a file that was removed; so the path is looked at, too. */
function filesAt(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { bigint: true }))
    .map(({ dev, ino }) => `${dev}:${ino}`)
    .join();
}

function write({ first, claim, release, advance, insert }: Store, request: Write): unknown {
  const { session } = request;
  const must = ({ changes }: { readonly changes: number | bigint }, what: string) => {
    if (Number(changes) !== 1) throw new Fenced(`${session} ${what} by now.`);
  };
  switch (request.op) {
    case 'claim': {
      const { expectedEpoch, holder } = request;
      const taken = expectedEpoch === 0 ? first.run(session, holder) : claim.run(holder, session, expectedEpoch);
      must(taken, `is not in epoch ${expectedEpoch}`);
      return expectedEpoch + 1;
    }
    case 'release':
      must(release.run(session, request.epoch), `is not in epoch ${request.epoch}`);
      return undefined;
    case 'append': {
      const { epoch, expectedSeq, bodies } = request;
      const last = expectedSeq + bodies.length;
      must(advance.run(last, session, epoch, expectedSeq), `is not in epoch ${epoch} at ${expectedSeq}`);
      for (const [i, body] of bodies.entries()) insert.run(session, expectedSeq + i + 1, epoch, body);
      return last;
    }
  }
}

function read({ found, held, read }: Store, request: Read): unknown {
  switch (request.op) {
    case 'head':
      return { epoch: 0, last: 0, holder: null, ...found.get(request.session) };
    case 'held':
      return held.all().map((row) => row['session']);
    case 'read':
      return read.all(request.session, request.afterSeq, request.limit).map((row) => ({ ...row }));
  }
}

function refusal(id: number, error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  return { id, error: error instanceof Fenced ? 'Fenced' : 'StoreFailed', message };
}

/** One transaction for all; a write that fails leaves the others as they are. */
function commit(store: Store, letters: readonly Letter<Write>[]): Answer[] {
  const { db } = store;
  if (letters.length === 0) return [];
  try {
    db.exec('BEGIN IMMEDIATE');
    const answers = letters.map(({ id, request }): Answer => {
      db.exec('SAVEPOINT alone');
      try {
        const value = write(store, request);
        db.exec('RELEASE alone');
        return { id, value };
      } catch (error) {
        if (!db.isTransaction) throw error; // SQLite itself has rolled all of it back: the disk is full or broken
        db.exec('ROLLBACK TO alone; RELEASE alone');
        return refusal(id, error);
      }
    });
    db.exec('COMMIT');
    return answers;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    return letters.map(({ id }) => refusal(id, error));
  }
}

function answer(letters: readonly Letter<Write | Read>[]): Answer[] {
  try {
    store ??= openStore();
    const opened = store;
    const isWrite = ({ request }: Letter): boolean => ['claim', 'release', 'append'].includes(request.op);
    const written = commit(opened, letters.filter(isWrite) as Letter<Write>[]);
    const told = letters
      .filter((letter) => !isWrite(letter))
      .map(({ id, request }) => ({ id, value: read(opened, request as Read) }));
    if (filesAt(path) !== opened.files) throw new StoreFailed(`${path} has been replaced by another file.`);
    return [...written, ...told];
  } catch (error) {
    return letters.map(({ id }) => refusal(id, error));
  }
}

port.on('message', (first: Letter) => {
  const letters: Letter[] = [first];
  while (letters.length < maxGroup) {
    const next = receiveMessageOnPort(port);
    if (!next) break;
    letters.push(next.message as Letter);
  }
  const last = letters.find(({ request }) => request.op === 'close');
  const asked = letters.filter((letter): letter is Letter<Write | Read> => letter !== last);
  if (asked.length > 0) port.postMessage(answer(asked));
  if (!last) return;
  store?.db.close();
  port.close(); // nothing else keeps this thread alive
});
