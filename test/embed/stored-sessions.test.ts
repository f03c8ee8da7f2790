// An embedder lists, exports and deletes sessions: in memory and in a file.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { blobIdOf } from '../../src/core/contracts/blobs.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import type { RuntimeOptions } from '../../src/embed/runtime.ts';
import { newStorePath } from '../support/store-path.ts';
import { until } from '../support/until.ts';
import { asks, open, says } from './open.ts';

const limits = { blobBytes: 100, sessionBlobBytes: 100, storeBlobBytes: 100 };
const data = new Uint8Array([1, 2, 3]);

/** A log with sessions that a host has released, each with a blob. */
async function fill(log: Log, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const epoch = await log.claim(id, 0, 'earlier');
    await log.append(id, epoch, 0, [{ type: 'session_opened' }, { type: 'note' }]);
    await log.blobs?.put(id, [{ id: blobIdOf(data), data }], limits);
    await log.release(id, epoch);
  }
}

async function start(log: Log) {
  await fill(log, ['b', 'a', 'c']);
  const options: Partial<RuntimeOptions> = { log };
  return open(() => says('noon'), options);
}

const logs: readonly [string, () => Log][] = [
  ['in memory', createMemoryLog],
  ['in a file', () => createSqliteLog({ path: newStorePath() })],
];

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(logs)('sessions %s', (_, createLog) => {
  test('are listed in pages, and exported in order', async () => {
    const { runtime } = await start(createLog());
    const { sessions } = runtime;
    expect(await sessions.list({ limit: 2 })).toEqual(['a', 'b']);
    expect(await sessions.list({ after: 'b' })).toEqual(['c', 's']);
    expect(await collect(sessions.export('a'))).toMatchObject([
      { seq: 1, fact: { type: 'session_opened' } },
      { seq: 2, fact: { type: 'note' } },
    ]);
    expect(await collect(sessions.export('nothing'))).toEqual([]);
  });

  test('are deleted with their blobs; a session of the same id is a new one, and earlier claims are fenced', async () => {
    const log = createLog();
    const { runtime } = await start(log);
    const { epoch } = await log.head('a');
    expect(await runtime.sessions.delete('a')).toBe(true);
    expect(await runtime.sessions.delete('a')).toBe(false);
    expect(await runtime.sessions.list()).toEqual(['b', 'c', 's']);
    expect(await log.read('a', 0)).toEqual([]);
    expect(await runtime.readBlob('a', blobIdOf(data))).toBeNull();
    expect(await runtime.readBlob('b', blobIdOf(data))).not.toBeNull();
    await expect(log.append('a', epoch, 0, [{ type: 'late' }])).rejects.toMatchObject({ name: 'Fenced' });
    await runtime.session('a');
    expect(await collect(runtime.sessions.export('a'))).toMatchObject([{ seq: 1, fact: { type: 'session_opened' } }]);
  });

  test('in which something runs, or that are held elsewhere, are not deleted', async () => {
    const log = createLog();
    await fill(log, ['b', 'a', 'c']);
    const { runtime, session } = await open(() => asks('watch'), { log });
    session.as('ann').say('watch it');
    await until(async () => (await runtime.nodes('s')).length > 1, { what: 'the call' });
    const { epoch } = await log.head('b');
    await log.claim('b', epoch, 'another');
    for (const id of ['s', 'b'])
      await expect(runtime.sessions.delete(id)).rejects.toMatchObject({ name: 'SessionInUse', code: 'session_in_use' });
    expect(await runtime.sessions.list()).toEqual(['a', 'b', 'c', 's']);
    expect(await log.read('s', 0)).not.toEqual([]);
  });
});
