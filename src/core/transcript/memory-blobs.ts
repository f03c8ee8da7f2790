// The blob store in memory: for tests, and for a host that keeps no history.
import {
  assertBlobLimits,
  assertHeldWithin,
  type BlobLimits,
  type BlobStore,
  type GivenBlob,
} from '../contracts/blobs.ts';

/** Bytes of all blobs: memory is smaller than a disk. It counts where `storeBlobBytes` is more. */
const maxMemoryBytes = 268_435_456;

interface StoredBlob extends GivenBlob {
  readonly session: string;
}

export class MemoryBlobs implements BlobStore {
  /** By session and id; the oldest first. */
  readonly #blobs = new Map<string, StoredBlob>();

  async put(session: string, blobs: readonly GivenBlob[], given: BlobLimits): Promise<void> {
    const limits = inMemory(given);
    assertBlobLimits(blobs, limits);
    for (const { id, data } of blobs) {
      const key = keyOf(session, id);
      this.#blobs.delete(key);
      this.#blobs.set(key, { session, id, data: new Uint8Array(data) });
    }
    this.#sweep(
      [...this.#blobs.values()].filter((stored) => stored.session === session),
      limits.sessionBlobBytes,
    );
    this.#sweep([...this.#blobs.values()], limits.storeBlobBytes);
  }

  /** Returns the blobs of a session that another one is to have, without those that it has no more. */
  copiesOf(session: string, from: string, ids: readonly string[]): readonly GivenBlob[] {
    const wanted = ids.filter((id) => !this.#blobs.has(keyOf(session, id)));
    return wanted.flatMap((id) => this.#blobs.get(keyOf(from, id)) ?? []);
  }

  /** Throws `BlobTooLarge` where blobs that are not stored yet do not fit beside all others. */
  assertRoom(session: string, blobs: readonly GivenBlob[], limits: BlobLimits): void {
    const stored = [...this.#blobs.values()];
    const added = bytesOf(blobs);
    const held = {
      session: added + bytesOf(stored.filter((one) => one.session === session)),
      store: added + bytesOf(stored),
    };
    if (added > 0) assertHeldWithin(held, inMemory(limits));
  }

  async read(session: string, blob: string): Promise<Uint8Array | null> {
    const stored = this.#blobs.get(keyOf(session, blob));
    return stored ? new Uint8Array(stored.data) : null;
  }

  async keepOnly(session: string, blobs: readonly string[]): Promise<void> {
    const kept = new Set(blobs);
    this.#remove((stored) => stored.session === session && !kept.has(stored.id));
  }

  async deleteAll(session: string): Promise<void> {
    this.#remove((stored) => stored.session === session);
  }

  /** Removes the oldest of these until the others are within the limit. */
  #sweep(blobs: readonly StoredBlob[], maxBytes: number): void {
    let bytes = bytesOf(blobs);
    for (const { session, id, data } of blobs) {
      if (bytes <= maxBytes) return;
      this.#blobs.delete(keyOf(session, id));
      bytes -= data.length;
    }
  }

  #remove(matches: (stored: StoredBlob) => boolean): void {
    for (const [key, stored] of this.#blobs) if (matches(stored)) this.#blobs.delete(key);
  }
}

const bytesOf = (blobs: readonly GivenBlob[]): number => blobs.reduce((sum, { data }) => sum + data.length, 0);

const inMemory = (limits: BlobLimits): BlobLimits => ({
  ...limits,
  storeBlobBytes: Math.min(limits.storeBlobBytes, maxMemoryBytes),
});

/** No two blobs have the same key: an id has no blank. */
const keyOf = (session: string, id: string): string => `${id} ${session}`;

/** Makes a blob store in memory, which is lost with the process. */
export function createMemoryBlobs(): MemoryBlobs {
  return new MemoryBlobs();
}
