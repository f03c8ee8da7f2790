// A session that is made of many events in SQLite: other sessions commit between its portions, nobody sees it before the last one, and what a dead maker has left is removed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { StoreReader } from '../../../src/adapters/stores/store-reader.ts';
import { Fenced, HeldElsewhere, type Log, type LogBody } from '../../../src/core/contracts/log.ts';
import { newStorePath } from '../../support/store-path.ts';
import { until } from '../../support/until.ts';

const said = (text: string) => ({ type: 'turn_opened', turn: text, owner: 'ann', ref: text, text }) as LogBody;
const texts = (count: number): LogBody[] => Array.from({ length: count }, (_, i) => said(`word ${i + 1}`));
const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
const listing = { order: 'name', turn: null, among: null } as const;
const searching = { ...listing, turn: { words: ['word'] } };

function openLog(path: string): Log {
  const log = createSqliteLog({ path });
  onTestFinished(() => log.close());
  return log;
}

const make = async (log: Log, session: string, count: number) => log.createSession?.(session, texts(count), blobs);

/** Counts in the file itself. */
function countIn(path: string, table: 'events' | 'drafts'): number {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']);
  } finally {
    db.close();
  }
}

/** Each way in which a session could be seen. */
async function seenOf(log: Log, path: string, session: string) {
  const reader = new StoreReader(path);
  try {
    return [
      (await log.head(session)).last,
      (await log.read(session, 0)).length,
      await log.findCommand(session, 'ann', 'word 1'),
      (await log.findMembership(session, 'ann')).length,
      (await log.listSessions?.(null, 10))?.includes(session),
      (await log.findSessions?.(listing, null, 10))?.found.some((one) => one.session === session),
      (await log.findSessions?.(searching, null, 10))?.found.some((one) => one.session === session),
      reader.sessions().some((one) => one.session === session),
      [...reader.facts(session)].length,
      reader.sessionsWith('word 1').includes(session),
    ];
  } finally {
    reader.close();
  }
}
const nothing = [0, 0, null, 0, false, false, false, false, 0, false];

test('appends of other sessions are committed between the portions, and nobody sees the session before the last one [fork.bounded] [fork.whole]', async () => {
  const path = newStorePath();
  const log = openLog(path);
  await log.claim('other', 0, 'host');
  let isMade = false;
  const making = make(log, 'fork', 5_000).then(() => {
    isMade = true;
  });
  let appended = 0;
  let seen = await seenOf(log, path, 'fork');
  const looks: unknown[] = [];
  while (!isMade) {
    await log.append('other', 1, appended, [{ type: 'said' }]);
    if (isMade) break;
    appended++;
    if (countIn(path, 'events') < 1_000 || looks.length > 0) continue;
    seen = await seenOf(log, path, 'fork');
    if (!isMade) looks.push(seen);
  }
  await making;
  expect(appended).toBeGreaterThan(5);
  expect(looks).toEqual([nothing]);
  expect(await seenOf(log, path, 'fork')).toEqual([
    5_000,
    5_000,
    { seq: 1, epoch: 0, body: said('word 1') },
    1,
    true,
    true,
    true,
    true,
    5_000,
    true,
  ]);
  expect(countIn(path, 'drafts')).toBe(0);
});

describe('a session that is being made', () => {
  test('cannot be made twice, or claimed by anybody while its maker has a lease [fork.whole]', async () => {
    const path = newStorePath();
    const [log, other] = [openLog(path), openLog(path)];
    await log.startLease({ id: 'a', name: 'a', process: null }, 60_000);
    await other.head('fork'); // its file is open
    const making = make(log, 'fork', 20_000);
    await expect(make(log, 'fork', 1)).rejects.toThrow(Fenced);
    await until(() => countIn(path, 'drafts') === 1, { what: 'the draft' });
    await expect(make(other, 'fork', 1)).rejects.toThrow(HeldElsewhere);
    await expect(other.claim('fork', 0, 'b')).rejects.toThrow(HeldElsewhere);
    await expect(log.claim('fork', 0, 'a')).rejects.toThrow(HeldElsewhere);
    await making;
    expect(await other.claim('fork', 1, 'b')).toBe(2);
    expect(await other.append('fork', 2, 20_000, [{ type: 'said' }])).toBe(20_001);
  });

  test('is given up when its maker has lost the lease and another host has claimed it: no event of it is left [fork.whole]', async () => {
    const path = newStorePath();
    const [log, other] = [openLog(path), openLog(path)];
    await log.startLease({ id: 'a', name: 'a', process: null }, 60_000);
    const making = expect(make(log, 'fork', 20_000)).rejects.toThrow(Fenced);
    await until(() => countIn(path, 'events') > 500, { what: 'two portions' });
    await other.endLease('a');
    expect(await other.claim('fork', 0, 'b')).toBe(1);
    expect(await other.append('fork', 1, 0, [said('its own')])).toBe(1);
    await making;
    expect((await log.read('fork', 0)).map(({ body }) => body)).toEqual([said('its own')]);
    expect(countIn(path, 'events')).toBe(1);
    expect(countIn(path, 'drafts')).toBe(0);
  });
});

describe('a process that is killed while it makes a session', () => {
  async function leaveDraft() {
    const path = newStorePath();
    const program = join(import.meta.dirname, '..', '..', 'children', 'fork-until-killed.ts');
    const child = spawn(process.execPath, [program, path, 'source', 'none', '100000'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const hasPortions = () => {
      try {
        return countIn(path, 'events') > 2_000;
      } catch {
        return false; // it is not there yet
      }
    };
    await until(hasPortions, { what: 'some portions' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(countIn(path, 'drafts')).toBe(1);
    return path;
  }

  test('leaves nothing that opens, and the next start removes what was written [fork.whole]', async () => {
    const path = await leaveDraft();
    const log = openLog(path);
    expect(await seenOf(log, path, 'fork-0')).toEqual(nothing);
    await until(() => countIn(path, 'events') + countIn(path, 'drafts') === 0, { what: 'the end of the draft' });
    expect(await log.deletions?.purge(1e9)).toMatchObject({ remains: 'nothing' });
    await make(log, 'fork-0', 2);
    expect(await log.read('fork-0', 0)).toHaveLength(2);
  });

  test.each([
    ['made anew', async (log: Log) => make(log, 'fork-0', 300)],
    ['claimed', async (log: Log) => log.append('fork-0', await log.claim('fork-0', 0, 'host'), 0, texts(300))],
  ])('its session can be %s at once [fork.whole]', async (_, use) => {
    const path = await leaveDraft();
    const log = openLog(path);
    await use(log);
    expect((await log.read('fork-0', 0)).map(({ body }) => body)).toEqual(texts(300));
    expect(countIn(path, 'events')).toBe(300);
    expect(countIn(path, 'drafts')).toBe(0);
  });
});
