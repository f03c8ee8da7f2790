// The log in SQLite: group commit, several handles, and the ways in which a store can fail.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { rejection } from '../../../src/adapters/stores/sqlite-store.ts';
import { Fenced, type Log, StoreFailed } from '../../../src/core/contracts/log.ts';
import { describeError } from '../../../src/core/text/error-text.ts';
import { newStorePath } from '../../support/store-path.ts';

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const said = (text: string) => ({ type: 'said', text });

function openLog(path: string): Log {
  const log = createSqliteLog({ path });
  onTestFinished(() => log.close());
  return log;
}

/** Returns the number of transactions in the write-ahead log: frames that bear the size of the file after their commit. */
function commitsIn(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  if (wal.length === 0) return 0;
  const frame = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frame <= wal.length; at += frame) if (wal.readUInt32BE(at + 4) !== 0) commits++;
  return commits;
}

/** Takes the file's write lock, as a slow disk would, until the function that it returns is called. */
function lock(path: string): () => void {
  const other = new DatabaseSync(path, { timeout: 5_000 });
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

describe('group commit', () => {
  test('the event loop goes on during a commit, and writes that wait are committed together', async () => {
    const path = newStorePath();
    const log = openLog(path);
    const sessions = Array.from({ length: 40 }, (_, i) => `s${i}`);
    await Promise.all(sessions.map((session) => log.claim(session, 0, 'host')));
    const unlock = lock(path);
    const before = commitsIn(path);
    let answered = 0;
    const appends = sessions.map((session) =>
      log.append(session, session === 's7' ? 9 : 1, 0, [said('one'), said('two')]).finally(() => answered++),
    );
    for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(0);
    unlock();
    const settled = await Promise.allSettled(appends);
    const refused = settled.flatMap((one, i) => (one.status === 'rejected' ? [[sessions[i], one.reason]] : []));
    expect(refused).toEqual([['s7', expect.any(Fenced)]]);
    expect(commitsIn(path) - before).toBeLessThanOrEqual(2); // the first may have gone alone
    expect((await log.head('s7')).last).toBe(0);
    expect((await log.head('s8')).last).toBe(2);
  });

  test('an append that the store cannot hold fails alone', async () => {
    const path = newStorePath();
    const log = openLog(path);
    const sessions = ['a', 'b', 'c'];
    await Promise.all(sessions.map((session) => log.claim(session, 0, 'host')));
    const blocking = new DatabaseSync(path);
    blocking.exec(`CREATE TRIGGER refuse BEFORE INSERT ON events WHEN new.session = 'b' AND new.seq = 2
      BEGIN SELECT raise(ABORT, 'this one is refused'); END`);
    blocking.close();
    const settled = await Promise.allSettled(
      sessions.map((session) => log.append(session, 1, 0, [said('one'), said('two')])),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: expect.any(StoreFailed) });
    expect(await log.head('b')).toEqual({ epoch: 1, last: 0, holder: 'host' });
    expect(await log.read('b', 0)).toEqual([]);
  });
});

describe('two handles on one file', () => {
  test('each fences the other by its claim', async () => {
    const path = newStorePath();
    const [a, b] = [openLog(path), openLog(path)];
    await a.claim('s', 0, 'host a');
    await a.append('s', 1, 0, [said('by a')]);
    expect(await b.head('s')).toEqual({ epoch: 1, last: 1, holder: 'host a' });
    expect(await b.claim('s', 1, 'host b')).toBe(2);
    await expect(a.append('s', 1, 1, [said('too late')])).rejects.toThrow(Fenced);
    await expect(a.release('s', 1)).rejects.toThrow(Fenced);
    await b.append('s', 2, 1, [said('by b')]);
    expect(await a.claim('s', 2, 'host a')).toBe(3);
    await expect(b.append('s', 2, 2, [said('too late')])).rejects.toThrow(Fenced);
    expect((await a.read('s', 0)).map(({ body }) => body)).toEqual([said('by a'), said('by b')]);
  });

  test('both that open it for the first time find the same store', async () => {
    const path = newStorePath();
    const logs = Array.from({ length: 4 }, () => openLog(path));
    const claims = await Promise.allSettled(logs.map((log, i) => log.claim('s', 0, `host ${i}`)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const claim of claims) if (claim.status === 'rejected') expect(claim.reason).toBeInstanceOf(Fenced);
  });

  test('a lock that another process keeps is a failure of the store, not an endless wait', async () => {
    const path = newStorePath();
    const log = openLog(path);
    await log.claim('s', 0, 'host');
    const unlock = lock(path);
    await expect(log.append('s', 1, 0, [said('one')])).rejects.toMatchObject({
      name: 'StoreFailed',
      code: 'SQLITE_BUSY',
    });
    unlock();
    expect(await log.append('s', 1, 0, [said('one')])).toBe(1);
  });
});

describe('a store that fails', () => {
  test('has the name of its failure for the log, which shows no message [ops.log]', () => {
    const db = new DatabaseSync(newStorePath());
    onTestFinished(() => db.close());
    db.exec('CREATE TABLE texts (text); PRAGMA max_page_count = 3');
    const fill = () => db.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(65_536));
    const full = catchError(fill);
    expect(rejection(1, full)).toMatchObject({ error: 'StoreFailed', code: 'SQLITE_FULL' });
    expect(describeError(new StoreFailed('', { code: 'SQLITE_FULL' }))).toMatchObject({ code: 'SQLITE_FULL' });
    expect('code' in rejection(1, new Error('no error of SQLite'))).toBe(false);
  });

  test('a file that cannot be opened rejects, and is opened once it can be', async () => {
    const path = newStorePath();
    const folder = join(dirname(path), 'sessions');
    writeFileSync(folder, 'a file where a folder should be');
    const log = openLog(join(folder, 'log.db'));
    await expect(log.claim('s', 0, 'host')).rejects.toThrow(StoreFailed);
    await expect(log.head('s')).rejects.toThrow(StoreFailed);
    rmSync(folder);
    mkdirSync(folder);
    expect(await log.claim('s', 0, 'host')).toBe(1);
  });

  test('a file that is no store, and one of a later version, are left as they are', async () => {
    const path = newStorePath();
    writeFileSync(path, 'this is no database, and long enough that nobody can take it for an empty file '.repeat(20));
    await expect(openLog(path).claim('s', 0, 'host')).rejects.toThrow(StoreFailed);
    expect(readFileSync(path, 'utf8')).toMatch(/^this is no database/);

    const later = newStorePath();
    const db = new DatabaseSync(later);
    db.exec('PRAGMA user_version = 3');
    db.close();
    await expect(openLog(later).claim('s', 0, 'host')).rejects.toThrow(/version 3/);
  });

  test.each(['', '-wal'])(
    'nothing is claimed of a file that was removed (%j) or put aside [store.durable]',
    async (part) => {
      const path = newStorePath();
      const log = openLog(path);
      await log.claim('s', 0, 'host');
      await log.append('s', 1, 0, [said('one')]);
      renameSync(`${path}${part}`, `${path}.aside`);
      await expect(log.append('s', 1, 1, [said('two')])).rejects.toThrow(StoreFailed);
      await expect(log.head('s')).rejects.toThrow(StoreFailed);
      rmSync(`${path}.aside`);
      await expect(log.append('s', 1, 1, [said('two')])).rejects.toThrow(StoreFailed);
    },
  );

  test('a thread that dies rejects the requests in flight and all later ones', async () => {
    const path = newStorePath();
    const threads: Worker[] = [];
    const remember = (worker: Worker) => threads.push(worker);
    process.on('worker', remember);
    const log = openLog(path);
    await log.claim('s', 0, 'host');
    process.off('worker', remember);
    const unlock = lock(path);
    const pending = log.append('s', 1, 0, [said('one')]).catch((error: unknown) => error);
    await Promise.all(threads.map((thread) => thread.terminate()));
    unlock();
    expect(await pending).toBeInstanceOf(StoreFailed);
    await expect(log.append('s', 1, 0, [said('one')])).rejects.toThrow(StoreFailed);
    await log.close();
  });
});
