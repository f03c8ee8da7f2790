// The blob store of a SQLite log: its requests go to the thread that owns the file.
import { assertWithinLimits, type BlobLimits, type BlobStore, type GivenBlob } from '../../core/contracts/blobs.ts';
import type { BlobReadRequest, BlobWriteRequest } from './sqlite-messages.ts';

export interface BlobRequests {
  write(request: BlobWriteRequest): Promise<void>;
  /** Resolves with the value of a reply. */
  read(request: BlobReadRequest): Promise<Uint8Array | null>;
}

export class SqliteBlobRequests implements BlobStore {
  readonly #requests: BlobRequests;

  constructor(requests: BlobRequests) {
    this.#requests = requests;
  }

  async put(session: string, given: readonly GivenBlob[], limits: BlobLimits): Promise<void> {
    assertWithinLimits(given, limits);
    // copies: a message would carry all of the memory that a view is a part of
    const blobs = given.map(({ id, data }) => ({ id, data: new Uint8Array(data) }));
    await this.#requests.write({ op: 'putBlobs', session, blobs, limits });
  }

  read(session: string, blob: string): Promise<Uint8Array | null> {
    return this.#requests.read({ op: 'readBlob', session, blob });
  }

  keepOnly(session: string, blobs: readonly string[]): Promise<void> {
    return this.#requests.write({ op: 'keepOnlyBlobs', session, blobs });
  }

  deleteAll(session: string): Promise<void> {
    return this.#requests.write({ op: 'deleteBlobs', session });
  }
}
