// The blob store of the sessions: the bytes of the images, sounds and files that facts name by their hash. It stands beside the log.
//
// 1. A blob belongs to a session: no other session can read it, also if it knows its hash.
// 2. It is durable when `put` resolves. A fact names it after that.
// 3. It may be swept at any time after that: where no fact names it, and where a limit leaves no room for it. A read of it resolves with null.
import { createHash } from 'node:crypto';

/** Bytes, with their id. */
export interface GivenBlob {
  readonly id: string;
  readonly data: Uint8Array;
}

/** In bytes. */
export interface BlobLimits {
  /** Bytes of one blob. */
  readonly blobBytes: number;
  /** Bytes of all blobs of a session. */
  readonly sessionBlobBytes: number;
  /** Bytes of all blobs of the store. */
  readonly storeBlobBytes: number;
}

/** A blob, or several that belong together, are larger than a limit. Nothing was stored. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
  readonly code = 'blob_too_large';
  readonly limit: keyof BlobLimits;
  readonly bytes: number;
  readonly maxBytes: number;

  constructor(limit: keyof BlobLimits, bytes: number, maxBytes: number) {
    super(`${bytes} bytes are to be stored at once, and limits.${limit} is ${maxBytes}.`);
    this.limit = limit;
    this.bytes = bytes;
    this.maxBytes = maxBytes;
  }
}

export interface BlobStore {
  /**
   * Stores blobs of a session, all or none. Where they are stored already, they count as new. Then removes the oldest blobs of the session, and
   * those of the store, that are above the limits. Rejects with `BlobTooLarge` or `StoreFailed`.
   */
  put(session: string, blobs: readonly GivenBlob[], limits: BlobLimits): Promise<void>;
  /** Resolves with the bytes; null if the session has no such blob, or has it no more. */
  read(session: string, blob: string): Promise<Uint8Array | null>;
  /** Removes the blobs of the session that are none of these. Requests that were made before are done before. */
  keepOnly(session: string, blobs: readonly string[]): Promise<void>;
  /** Removes all blobs of the session. */
  deleteAll(session: string): Promise<void>;
}

/** Returns the id of a blob: the SHA-256 of its bytes. */
export const blobIdOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Throws `BlobTooLarge` if the session, or the store, holds more than its limit. In bytes. */
export function assertHeldWithin(held: { readonly session: number; readonly store: number }, limits: BlobLimits): void {
  if (held.session > limits.sessionBlobBytes)
    throw new BlobTooLarge('sessionBlobBytes', held.session, limits.sessionBlobBytes);
  if (held.store > limits.storeBlobBytes) throw new BlobTooLarge('storeBlobBytes', held.store, limits.storeBlobBytes);
}

/** Throws `BlobTooLarge` if the blobs can never be stored together. */
export function assertBlobLimits(blobs: readonly GivenBlob[], limits: BlobLimits): void {
  const largest = Math.max(0, ...blobs.map(({ data }) => data.length));
  const sum = blobs.reduce((bytes, { data }) => bytes + data.length, 0);
  for (const [limit, bytes] of [
    ['blobBytes', largest],
    ['sessionBlobBytes', sum],
    ['storeBlobBytes', sum],
  ] as const) {
    if (bytes > limits[limit]) throw new BlobTooLarge(limit, bytes, limits[limit]);
  }
}
