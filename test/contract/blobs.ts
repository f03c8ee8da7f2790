// The contract of a blob store: the test file of each implementation calls this suite.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type BlobLimits,
  type BlobStore,
  BlobTooLarge,
  blobIdOf,
  type GivenBlob,
} from '../../src/core/contracts/blobs.ts';

const limits: BlobLimits = { blobBytes: 100, sessionBlobBytes: 250, storeBlobBytes: 500 };

/** A blob of 100 bytes, each of which is `fill`. */
const blobOf = (fill: number, bytes = 100): GivenBlob => {
  const data = new Uint8Array(bytes).fill(fill);
  return { id: blobIdOf(data), data };
};

export interface OpenBlobs {
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

/** Defines the tests. `open` resolves with a new, empty store. */
export function blobContract(name: string, open: () => Promise<OpenBlobs>): void {
  describe(`the blob store ${name}`, () => {
    let opened: OpenBlobs;
    let blobs: BlobStore;
    beforeEach(async () => {
      opened = await open();
      blobs = opened.blobs;
    });
    afterEach(() => opened.close());

    /** Resolves with those of the blobs with these fills that a session has. */
    const stored = async (session: string, ...fills: readonly number[]) => {
      const read = await Promise.all(fills.map((fill) => blobs.read(session, blobOf(fill).id)));
      return fills.filter((_, i) => read[i] !== null);
    };

    test('a blob is read as it was when it was stored, by its hash [model.parts]', async () => {
      const data = Buffer.from('belay');
      const id = blobIdOf(data);
      expect(id).toBe('7f72937a338ece153c4ad8c39b1b81ed80eb0f709804bda546046396a975329a');
      const put = blobs.put('s', [{ id, data }], limits);
      data.fill(0);
      await put;
      const read = await blobs.read('s', id);
      expect(Buffer.from(read ?? []).toString()).toBe('belay');
      read?.fill(0);
      expect(Buffer.from((await blobs.read('s', id)) ?? []).toString()).toBe('belay');
    });

    test('no other session reads it, also by its hash [model.parts]', async () => {
      await blobs.put('s', [blobOf(1)], limits);
      expect(await blobs.read('other', blobOf(1).id)).toBeNull();
      await blobs.put('other', [blobOf(1)], limits);
      await blobs.deleteAll('s');
      expect(await stored('other', 1)).toEqual([1]);
      expect(await stored('s', 1)).toEqual([]);
    });

    test.for([
      ['blobBytes', [blobOf(1, 101)]],
      ['sessionBlobBytes', [blobOf(1), blobOf(2), blobOf(3)]],
    ] as const)('above %s all are rejected, and none is stored [model.parts]', async ([limit, given]) => {
      const error = await blobs.put('s', [...given], limits).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BlobTooLarge);
      expect(error).toMatchObject({ limit, message: expect.stringContaining(String(limits[limit])) });
      expect(await stored('s', 1, 2, 3)).toEqual([]);
    });

    test('above the limit of a session its oldest blobs are removed [model.parts]', async () => {
      await blobs.put('s', [blobOf(1), blobOf(2)], limits);
      await blobs.put('other', [blobOf(1), blobOf(2)], limits);
      await blobs.put('s', [blobOf(1)], limits); // it is the newer one now
      await blobs.put('s', [blobOf(3)], limits);
      expect(await stored('s', 1, 2, 3)).toEqual([1, 3]);
      expect(await stored('other', 1, 2)).toEqual([1, 2]);
    });

    test('above the limit of the store its oldest blobs are removed, of whatever session [model.parts]', async () => {
      for (const session of ['r', 's', 't']) await blobs.put(session, [blobOf(1), blobOf(2)], limits);
      expect(await Promise.all(['r', 's', 't'].map((session) => stored(session, 1, 2)))).toEqual([[2], [1, 2], [1, 2]]);
    });

    test('only the blobs that are named are kept [model.parts]', async () => {
      await blobs.put('s', [blobOf(1), blobOf(2)], limits);
      await blobs.put('other', [blobOf(3)], limits);
      const kept = blobs.keepOnly('s', [blobOf(2).id, blobOf(9).id]);
      const put = blobs.put('s', [blobOf(4)], limits); // asked for later: it stays
      await Promise.all([kept, put]);
      expect(await stored('s', 1, 2, 4)).toEqual([2, 4]);
      expect(await stored('other', 3)).toEqual([3]);
      await blobs.keepOnly('s', []);
      expect(await stored('s', 1, 2, 4)).toEqual([]);
    });
  });
}
