// The log of a session: append-only events with sequence numbers, kept safe by a compare-and-set on epoch and sequence.
//
// Several hosts may share a store. A session has one holder: the host that has claimed it, as long as the lease of that host runs. The lease
// decides who may claim; the epoch keeps the log safe, whatever a host believes about its lease.

import type { QuoteRule, Remains } from '../../../machines/vocabulary.ts';
import type { BlobLimits, BlobStore } from './blobs.ts';
import type { FoundSessions, SessionPlace, SessionSearch } from './session-search.ts';

export interface LoggedEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  /** The epoch in which it was written. 0: the session began with it (`createSession`). */
  readonly epoch: number;
  /** One JSON value with a `type`. */
  readonly body: LogBody;
}

export interface LogBody {
  readonly type: string;
}

export interface LogHead {
  /** The epoch of the last claim; 0: no host has ever claimed the session. */
  readonly epoch: number;
  /** The sequence number of the last event; 0: none. */
  readonly last: number;
  /** The id of the host that has claimed the session; null after a release. Its lease may have ended. */
  readonly holder: string | null;
}

/** A process that claims sessions. */
export interface Host {
  /** Unique: a process that starts again is another host. */
  readonly id: string;
  /** Names the same host over its restarts. Default: its id. */
  readonly name: string;
  /** The process of the host; null: unknown. */
  readonly process: HostProcess | null;
  /** Stands for what its sessions are configured with: hosts of a cluster compare it. Left out: it does not say. */
  readonly configuration?: string | undefined;
  /** What people call it; another host may be called so, too. Left out: its name. */
  readonly label?: string | undefined;
}

/** A host whose lease was not ended. */
export interface LeasedHost extends Host {
  /** For how long its lease still runs, as far as is known here, in milliseconds; 0: it has run out. Left out: the log does not say. */
  readonly remainingMs?: number | undefined;
  /** The length of its lease. Left out: the log does not say. */
  readonly leaseMs?: number | undefined;
}

/** Identifies a process, so that another one on the same system can see that it is dead. */
export interface HostProcess {
  readonly pid: number;
  readonly startTime: string;
  /** The system that the pid belongs to: a boot of a machine, and a container on it. */
  readonly system: string;
}

/** Another host holds the session, and its lease runs. Nothing was written. */
export class HeldElsewhere extends Error {
  override readonly name = 'HeldElsewhere';
  readonly code = 'held_elsewhere';
  readonly session: string;

  constructor(session: string, options?: ErrorOptions) {
    super(
      `Another host holds the session ${session}. It can be opened here after that host has closed it or died.`,
      options,
    );
    this.session = session;
  }
}

/** Another host has claimed the session, its log does not end where the caller expects, or a lease has been ended. Nothing was written. */
export class Fenced extends Error {
  override readonly name: string = 'Fenced';
}

/** The store failed (disk full, file gone). Nothing was written, or the reply was lost: read the head before a repetition. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
  /** The store's own name of the failure, for the log: `SQLITE_FULL`. */
  declare readonly code?: string;

  constructor(message: string, options?: ErrorOptions & { readonly code?: string | undefined }) {
    super(message, options);
    if (options?.code !== undefined) Object.assign(this, { code: options.code });
  }
}

/** The store ends before what it has confirmed: a backup was restored under a running host. No repetition can succeed. */
export class StoreWentBack extends Fenced {
  override readonly name: string = 'StoreWentBack';
}

export interface NewestEvents {
  readonly bodies: readonly LogBody[];
  readonly next: number | null;
}

/** Blobs of one session that another one gets copies of. */
export interface CopiedBlobs {
  readonly from: string;
  readonly ids: readonly string[];
  readonly limits: BlobLimits;
}

/** Where a session comes from that is copied out of another store. */
export interface CopiedSession {
  /** The epoch of the session there. */
  readonly epoch: number;
  /** The epoch of each event there. */
  readonly epochs: readonly number[];
}

/** What became of a request to delete a session. */
export type Deletion = 'deleted' | 'held' | 'unknown';

export interface Purge {
  readonly remains: Remains;
  /** The size of the file that has to be rewritten, in bytes; 0: none has. */
  readonly rewriteBytes: number;
}

/** The deletion of a speaker that was started and has not ended. */
export interface SpeakerDeletion {
  readonly speaker: string;
  /** Stands for the name in every fact that stays. */
  readonly pseudonym: string;
  readonly quotes: QuoteRule;
}

/** What a log does to delete words, beside whole sessions. */
export interface LogDeletions {
  /**
   * Replaces the body of an event by one of the same `type`: words that were deleted are not in the log any more. Its sequence number and its epoch stay. Durable when it resolves. Rejects with
   * `Fenced` unless `epoch` is that of the holder, and with `StoreFailed` where there is no such event or it has another type.
   */
  redact(session: string, epoch: number, seq: number, body: LogBody): Promise<void>;
  /**
   * Removes from the files what was deleted and redacted: rewrites them, unless they are larger than `maxBytes`, and resolves with what may still remain there. No write is performed
   * meanwhile.
   */
  purge(maxBytes: number): Promise<Purge>;
  /** Records that a speaker is being deleted, so that the next start goes on with it. Resolves with the record; if there was one, it keeps its pseudonym. Durable when it resolves. */
  startSpeaker(deletion: SpeakerDeletion): Promise<SpeakerDeletion>;
  listSpeakers(): Promise<readonly SpeakerDeletion[]>;
  /** Forgets the deletion of a speaker: it has ended. */
  forgetSpeaker(speaker: string): Promise<void>;
}

export interface Log {
  /** Whether all of it is lost with the process, so that no later start can recover its sessions. */
  readonly isVolatile?: boolean;
  /** How words are deleted. Left out: it can delete whole sessions alone. */
  readonly deletions?: LogDeletions;
  /** Requests that have failed since the start: the disk is full, or the file is gone or locked. Left out: they are not counted. */
  readonly failures?: number;
  /** The blobs of its sessions. Left out: it stores none, and the host keeps them in its memory. */
  readonly blobs?: BlobStore;
  head(session: string): Promise<LogHead>;
  /**
   * Claims the session for a host; resolves with the new epoch, `expectedEpoch` + 1. Rejects with `HeldElsewhere` while the lease of another holder
   * runs, and with `Fenced` if the epoch is another one. If the lease of the holder has run out, ends it: that host has lost all its sessions.
   * The claim of a host without a lease counts, but keeps no other host from the next claim.
   */
  claim(session: string, expectedEpoch: number, host: string): Promise<number>;
  /** Releases the session after an orderly close. Rejects with `Fenced`. */
  release(session: string, epoch: number): Promise<void>;
  /** Resolves with the sessions that were claimed and not released, and whose holder has no lease that runs: what a dead process has left. */
  orphaned(): Promise<readonly string[]>;
  /**
   * Starts the lease of a host: for `leaseMs`, by the clock of the store, no other host can claim its sessions. Ends the lease of an earlier
   * host of the same name.
   */
  startLease(host: Host, leaseMs: number): Promise<void>;
  /** The lease runs for `leaseMs` from now, also if it has run out. Rejects with `Fenced` if it was ended: another host may hold the sessions by now. */
  renewLease(host: string, leaseMs: number): Promise<void>;
  /** Ends the lease of a host that holds nothing any more, or is dead. No effect if there is none. */
  endLease(host: string): Promise<void>;
  /** Resolves with the hosts whose lease was not ended, also if it has run out. */
  hosts(): Promise<readonly LeasedHost[]>;
  /** Resolves with the number of sessions that were claimed and not released, by the id of the host. Left out: it cannot count them. */
  countHeld?(): Promise<ReadonlyMap<string, number>>;
  /** Appends all bodies or none; they are durable when it resolves with the sequence number of the last one. Rejects with `Fenced`, `StoreWentBack` (where it can be seen) or `StoreFailed`. */
  append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number>;
  /** Resolves with the events above `afterSeq`, in order, at most `limit` of them. */
  read(session: string, afterSeq: number, limit?: number): Promise<readonly LoggedEvent[]>;
  /** Resolves with the first event that records the command of a speaker under this ref (src/core/transcript/decided-commands.ts); null: there is none. */
  findCommand(session: string, speaker: string, ref: string): Promise<LoggedEvent | null>;
  /**
   * Resolves with the bodies of the newest events of all sessions, the newest first, without those that a session began with (`createSession`). `before`: the `next` of the page before; null: from the
   * newest on. `next` is null when nothing is left. Left out: the log has nothing that is older than its process.
   */
  readNewest?(before: number | null, limit: number): Promise<NewestEvents>;
  /**
   * Resolves with those of the session's events that decide whether a speaker is a member (src/core/transcript/session-members.ts), in order: the first event, the
   * first turn of all, the first turn of the speaker, and its invitation. Empty: there is no such session. Takes the same time whether there is one or not.
   */
  findMembership(session: string, speaker: string): Promise<readonly LoggedEvent[]>;
  /** Resolves with the ids above `after` (null: all) of sessions that have events, in their order, at most `limit` of them. Left out: it cannot list them. */
  listSessions?(after: string | null, limit: number): Promise<readonly string[]>;
  /**
   * Looks at `limit` sessions that have events, after a place in the order of the search (null: from the first one), and resolves with those of them that it finds. A message that was deleted or
   * redacted is not found any more. Left out: it finds none, and sessions are listed by their names.
   */
  readonly findSessions?:
    | ((search: SessionSearch, after: SessionPlace | null, limit: number) => Promise<FoundSessions>)
    | undefined;
  /**
   * Makes a session that begins with these events and with copies of these blobs, which nobody has claimed. Nothing of it is seen before all of it is durable, when it resolves; what a process that dies
   * has written of it is removed. It is made in portions, between which the event loop turns and other requests are performed.
   * A blob that `from` does not have is left out; copies remove no other blob: where they do not fit, it rejects with `BlobTooLarge`.
   * Rejects with `Fenced` where the session has events or a holder, or is being made, with `HeldElsewhere` where another host makes it, and with `StoreFailed`. Left out: it cannot make one.
   *
   * `origin`: the events keep the epochs of another store, and the epoch of the session is above the one there. Left out: their epoch is 0.
   */
  createSession?(
    session: string,
    bodies: readonly LogBody[],
    blobs: CopiedBlobs,
    origin?: CopiedSession,
  ): Promise<void>;
  /**
   * Deletes the events and blobs of a session that nobody has claimed or whose holder has released it; then its epoch is the next one, which fences all earlier
   * claims. `held`: it has a holder, and nothing was deleted. `unknown`: it has no events. Left out: it cannot delete them.
   */
  deleteSession?(session: string): Promise<Deletion>;
  /** Resolves when the log is closed; later requests reject with `StoreFailed`. */
  close(): Promise<void>;
}
