// The messages between a SQLite log and the thread that owns its file.

import { type BlobLimits, BlobTooLarge, type GivenBlob } from '../../core/contracts/blobs.ts';
import {
  type CopiedBlobs,
  Fenced,
  HeldElsewhere,
  type Host,
  type SpeakerDeletion,
  StoreFailed,
} from '../../core/contracts/log.ts';
import type { SessionPlace, SessionSearch } from '../../core/contracts/session-search.ts';

export type WriteRequest =
  | { readonly op: 'startLease'; readonly host: Host; readonly leaseMs: number }
  | { readonly op: 'renewLease'; readonly host: string; readonly leaseMs: number }
  | { readonly op: 'endLease'; readonly host: string }
  | { readonly op: 'claim'; readonly session: string; readonly expectedEpoch: number; readonly host: string }
  | { readonly op: 'release'; readonly session: string; readonly epoch: number }
  | {
      readonly op: 'append';
      readonly session: string;
      readonly epoch: number;
      readonly expectedSeq: number;
      /** JSON texts. */
      readonly bodies: readonly string[];
    }
  | DraftRequest
  | DeletionWriteRequest
  | { readonly op: 'deleteSession'; readonly session: string }
  | BlobWriteRequest;
/** A session that is being made: see src/adapters/stores/sqlite-drafts.ts. `maker`: the host that makes it. Left out: that of the thread. */
export type DraftRequest = { readonly maker?: string | undefined } & DraftStep;
type DraftStep =
  | { readonly op: 'startDraft'; readonly session: string }
  | {
      readonly op: 'addToDraft';
      readonly draft: number;
      readonly after: number;
      readonly events: readonly DraftEvent[];
    }
  | {
      readonly op: 'finishDraft';
      readonly draft: number;
      readonly count: number;
      readonly blobs: CopiedBlobs;
      /** The epoch of the session in the store that it comes from; 0: it begins here. */
      readonly epoch: number;
    }
  | { readonly op: 'giveUpDraft'; readonly draft: number };
export type DeletionWriteRequest =
  | {
      readonly op: 'redact';
      readonly session: string;
      readonly epoch: number;
      readonly seq: number;
      /** The type of the event that is there, and of the one that replaces it. */
      readonly type: string;
      /** A JSON text. */
      readonly body: string;
    }
  | { readonly op: 'startSpeakerDeletion'; readonly deletion: SpeakerDeletion }
  | { readonly op: 'forgetSpeakerDeletion'; readonly speaker: string };
export type BlobWriteRequest =
  | {
      readonly op: 'putBlobs';
      readonly session: string;
      readonly blobs: readonly GivenBlob[];
      readonly limits: BlobLimits;
    }
  | { readonly op: 'keepOnlyBlobs'; readonly session: string; readonly blobs: readonly string[] }
  | { readonly op: 'deleteBlobs'; readonly session: string };
export type ReadRequest =
  | { readonly op: 'head'; readonly session: string }
  | { readonly op: 'orphaned' | 'hosts' }
  | DeletionReadRequest
  | { readonly op: 'findCommand'; readonly session: string; readonly speaker: string; readonly ref: string }
  | { readonly op: 'findMembership'; readonly session: string; readonly speaker: string }
  | { readonly op: 'readNewest'; readonly before: number | null; readonly limit: number }
  | { readonly op: 'read'; readonly session: string; readonly afterSeq: number; readonly limit: number }
  | { readonly op: 'listSessions'; readonly after: string | null; readonly limit: number }
  | FindSessionsRequest
  | BlobReadRequest;
/** A `purge` is performed like a read, outside any transaction. */
export type DeletionReadRequest =
  | { readonly op: 'purge'; readonly maxBytes: number }
  | { readonly op: 'speakerDeletions' };
export type FindSessionsRequest = {
  readonly op: 'findSessions';
  readonly search: SessionSearch;
  readonly after: SessionPlace | null;
  readonly limit: number;
};
export type BlobReadRequest = { readonly op: 'readBlob'; readonly session: string; readonly blob: string };

/** An event of a session that is being made. */
export interface DraftEvent {
  readonly epoch: number;
  /** A JSON text. */
  readonly body: string;
}

/** An event as it is stored. */
export interface EventRow {
  readonly seq: number;
  readonly epoch: number;
  /** A JSON text. */
  readonly body: string;
}

/** An event of any session, by its place in the file. */
export interface PlacedRow {
  readonly place: number;
  /** A JSON text. */
  readonly body: string;
}

/** To the thread: requests with an id, and the end. */
export type WriteMessage = { readonly kind: 'write'; readonly id: number; readonly request: WriteRequest };
export type ReadMessage = { readonly kind: 'read'; readonly id: number; readonly request: ReadRequest };
export type StoreMessage = WriteMessage | ReadMessage | { readonly kind: 'close' };

/** From the thread: one reply for each request. */
export type StoreReply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: 'HeldElsewhere'; readonly session: string }
  | {
      readonly error: 'BlobTooLarge';
      readonly limit: keyof BlobLimits;
      readonly bytes: number;
      readonly maxBytes: number;
    }
  | { readonly error: 'Fenced'; readonly message: string }
  /** `code`: SQLite's name of the failure, where it has failed. */
  | { readonly error: 'StoreFailed'; readonly message: string; readonly code?: string }
);

/** The other end of a log, which performs its requests: the thread, or a process that has one. */
export interface StorePort {
  postMessage(message: StoreMessage): void;
  /** Keeps the process alive until `unref`. */
  ref(): void;
  unref(): void;
  on(event: 'message', listener: (replies: readonly StoreReply[]) => void): unknown;
  /** Why there will be no more replies: `exit` follows. */
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
}

/** Returns the error of a request that was rejected. */
export function errorOfReply(reply: Extract<StoreReply, { readonly error: string }>): Error {
  if (reply.error === 'HeldElsewhere') return new HeldElsewhere(reply.session);
  if (reply.error === 'BlobTooLarge') return new BlobTooLarge(reply.limit, reply.bytes, reply.maxBytes);
  return reply.error === 'Fenced' ? new Fenced(reply.message) : new StoreFailed(reply.message, reply);
}
