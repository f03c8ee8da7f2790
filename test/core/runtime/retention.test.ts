// Sessions in which nothing has happened for too long are deleted: at the start and daily, never one that works.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { blobIdOf } from '../../../src/core/contracts/blobs.ts';
import type { Log } from '../../../src/core/contracts/log.ts';
import type { Observer } from '../../../src/core/session/session-spec.ts';
import { startHarness, textResponse } from '../../support/harness.ts';
import { newStorePath } from '../transcript/store.ts';

const dayMs = 86_400_000;
const data = new Uint8Array([1]);

/** A session that an earlier host has released, with a blob. Its last fact is of this time. */
async function addSession(log: Log, id: string, at: number): Promise<void> {
  const epoch = await log.claim(id, 0, 'earlier');
  await log.append(id, epoch, 0, [{ type: 'session_opened', at } as never]);
  const limits = { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 };
  await log.blobs?.put(id, [{ id: blobIdOf(data), data }], limits);
  await log.release(id, epoch);
}

test.each<readonly [string, () => Log]>([
  ['in memory', createMemoryLog],
  ['in a file', () => createSqliteLog({ path: newStorePath() })],
])('at the start and daily, with their blobs, %s', async (_, createLog) => {
  const log = createLog();
  const deleted: string[] = [];
  const observer: Observer = { deleted: (session) => void deleted.push(session) };
  const first = await startHarness();
  const now = first.clock.now();
  await addSession(log, 'old', now - 8 * dayMs);
  await addSession(log, 'young', now - 6 * dayMs);
  const { clock } = await startHarness({ log, retentionDays: 7, observers: [observer] });
  await expect.poll(() => deleted).toEqual(['old']);
  expect(await log.blobs?.read('old', blobIdOf(data))).toBeNull();
  expect(await log.blobs?.read('young', blobIdOf(data))).not.toBeNull();
  await clock.advance(2 * dayMs);
  await expect.poll(() => deleted).toEqual(['old', 'young']);
});

test('what works is kept, and goes when it has ended long enough ago; without the setting all is kept', async () => {
  const deleted: string[] = [];
  const observer: Observer = { deleted: (session) => void deleted.push(session) };
  const respond = () => ({ steps: [{ waitMs: 5 * dayMs }, ...textResponse('done').steps] });
  const limits = { turnMs: 0 };
  const harness = await startHarness({ retentionDays: 1, observers: [observer], respond, limits });
  const turn = await harness.say('words');
  await harness.clock.advance(4 * dayMs);
  expect(deleted).toEqual([]);
  await harness.clock.advance(2 * dayMs);
  expect(harness.endOf(turn)).toBeDefined();
  await harness.clock.advance(3 * dayMs);
  await expect.poll(() => deleted).toEqual(['s']);
  const all = await startHarness();
  await all.clock.advance(100 * dayMs);
  expect((await all.log.head('s')).last).toBeGreaterThan(0);
});
