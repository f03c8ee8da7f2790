// The deletion of old sessions by a runtime: a test file calls this test for each log.
import { expect, test } from 'vitest';
import { blobIdOf } from '../../src/core/contracts/blobs.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import type { Observer } from '../../src/core/session/session-spec.ts';
import { startHarness } from '../support/harness.ts';

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

/** Defines the test. `open` returns a new, empty log. */
export function retentionContract(name: string, open: () => Log | Promise<Log>): void {
  test(`at the start and daily, with their blobs, ${name}`, async () => {
    const log = await open();
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
}
