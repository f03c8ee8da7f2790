// The log in memory does not grow for ever: it forgets what is asleep, and refuses what does not fit, by name.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { StoreFailed } from '../../../src/core/contracts/log.ts';

const maxBytes = 10_000;
const fact = { type: 'note', text: 'x'.repeat(872 - '{"type":"note","text":""}'.length) }; // 1 000 bytes with what an event takes

/** Writes a session of 2 000 bytes. Returns its epoch. */
async function write(log: ReturnType<typeof createMemoryLog>, id: string): Promise<number> {
  const epoch = await log.claim(id, 0, 'host');
  await log.append(id, epoch, 0, [fact, fact]);
  return epoch;
}

test('above its limit it forgets the session that is asleep and was written longest ago [store.memory]', async () => {
  const log = createMemoryLog({ maxBytes });
  for (let n = 0; n < 500; n++) await log.release(`s${n}`, await write(log, `s${n}`));
  const kept = (await log.listSessions?.(null, 1_000)) ?? [];
  expect([...kept].sort()).toEqual(['s495', 's496', 's497', 's498', 's499']);
  expect(await log.head('s0')).toEqual({ epoch: 0, last: 0, holder: null });
  expect(await log.claim('s0', 0, 'host')).toBe(1); // it is a new session
});

test('a session that is awake is never forgotten; one that does not fit beside them is refused by the limit [store.memory]', async () => {
  const log = createMemoryLog({ maxBytes });
  for (let n = 0; n < 5; n++) await write(log, `held${n}`);
  const epoch = await log.claim('more', 0, 'host');
  const refused = log.append('more', epoch, 0, [fact]);
  await expect(refused).rejects.toThrow(StoreFailed);
  await expect(refused).rejects.toThrow(/full: 11000 of 10000 bytes.*`store`/);
  expect(await log.read('held0', 0)).toHaveLength(2);
  await log.release('held0', 1);
  await log.append('more2', await log.claim('more2', 0, 'host'), 0, [fact]);
  expect(await log.listSessions?.(null, 10)).not.toContain('held0');
});

test('a session that was written again is forgotten after those that were not [store.memory]', async () => {
  const log = createMemoryLog({ maxBytes });
  for (let n = 0; n < 4; n++) await log.release(`s${n}`, await write(log, `s${n}`));
  const again = await log.claim('s0', 1, 'host');
  await log.append('s0', again, 2, [fact, fact]);
  await log.release('s0', again);
  await write(log, 'more');
  expect((await log.listSessions?.(null, 10))?.toSorted()).toEqual(['more', 's0', 's2', 's3']);
});

test('with a session its images and files are forgotten [store.memory]', async () => {
  const log = createMemoryLog({ maxBytes });
  const limits = { blobBytes: 100, sessionBlobBytes: 100, storeBlobBytes: 100 };
  await log.blobs?.put('s0', [{ id: 'image', data: new Uint8Array(8) }], limits);
  for (let n = 0; n < 6; n++) await log.release(`s${n}`, await write(log, `s${n}`));
  expect((await log.head('s0')).last).toBe(0);
  expect(await log.blobs?.read('s0', 'image')).toBeNull();
});

test('a deleted session gives its room back [store.memory]', async () => {
  const log = createMemoryLog({ maxBytes });
  for (let n = 0; n < 20; n++) {
    await log.release(
      's',
      await log.claim('s', (await log.head('s')).epoch, 'host').then(async (epoch) => {
        await log.append('s', epoch, 0, [fact, fact, fact]);
        return epoch;
      }),
    );
    expect(await log.deleteSession?.('s')).toBe('deleted');
  }
  await log.append(
    'held',
    await log.claim('held', 0, 'host'),
    0,
    Array.from({ length: 10 }, () => fact),
  );
  expect((await log.head('held')).last).toBe(10);
});

test.each([0, -1, 1.5, Number.NaN])('a limit of %d is refused', (wrong) => {
  expect(() => createMemoryLog({ maxBytes: wrong })).toThrow(/maxBytes of createMemoryLog is .*whole number/);
});
