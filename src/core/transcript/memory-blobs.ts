// The blob store in memory: for tests, and for a host that keeps no history.
import { assertBlobLimits, type BlobLimits, type BlobStore, type GivenBlob } from '../contracts/blobs.ts';

/** Bytes of all blobs: memory is smaller than a disk. It counts where `storeBlobBytes` is more. */
const maxMemoryBytes = 268_435_456;

interface StoredBlob extends GivenBlob {
  readonly session: string;
}

class MemoryBlobs implements BlobStore {
  /** By session and id; the oldest first. */
  readonly #blobs = new Map<string, StoredBlob>();

  async put(session: string, blobs: readonly GivenBlob[], given: BlobLimits): Promise<void> {
    const limits = { ...given, storeBlobBytes: Math.min(given.storeBlobBytes, maxMemoryBytes) };
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
    let bytes = blobs.reduce((sum, { data }) => sum + data.length, 0);
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

/** No two blobs have the same key: an id has no blank. */
const keyOf = (session: string, id: string): string => `${id} ${session}`;

/** Makes a blob store in memory, which is lost with the process. */
export function createMemoryBlobs(): BlobStore {
  return new MemoryBlobs();
}
