// The transcript of a session as a whole, for doors: its export, its forks and its deletion.
import type { ForkOrigin, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId, QuoteRule, Remains, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Quote } from '../transcript/redact.ts';
import type { Caller } from './caller.ts';

/** Something runs in the session, or another host holds it, or a dead one has left it. It was not deleted. */
export class SessionInUse extends Error {
  override readonly name = 'SessionInUse';
  readonly code = 'session_in_use';
  readonly session: string;

  constructor(session: string) {
    super(
      `The session ${session} is in use: something runs in it, or another host holds it. Stop what runs, and delete it then.`,
    );
    this.session = session;
  }
}

/** Forks a session from the end of a turn that has settled. */
export interface ForkRequest {
  readonly turn: NodeId;
  /** The id of the new session. Left out: one is made up. */
  readonly to?: string | undefined;
  /** An idempotency key of the speaker: the same FORK under it is a repeat, which makes no second fork. */
  readonly ref?: string | undefined;
}

export interface Forked {
  readonly type: 'forked';
  /** The id of the new session. */
  readonly fork: string;
  /** The id that the turn has there. */
  readonly turn: NodeId;
  readonly from: ForkOrigin;
  /** The speaker who forked it, and owns it; null: a program did. */
  readonly by: SpeakerId | null;
  /** It was there before, from the same FORK. */
  readonly repeated: boolean;
}

export type ForkReply = Forked | ForkRefusal;

export type ForkRefusal =
  /** The session has no such root turn, or it has not settled. */
  | { readonly type: 'turn_not_forkable'; readonly message: string }
  | { readonly type: 'fork_too_large'; readonly message: string; readonly limit: number }
  | { readonly type: 'session_exists'; readonly fork: string }
  /** The ref was used for the fork of another turn. */
  | { readonly type: 'ref_reused' };

/** A session in which a speaker who was deleted has said or done something. */
export interface RedactedSession {
  readonly session: string;
  /** The number of facts that were changed. */
  readonly facts: number;
}

/** What a model or a tool wrote that may quote a speaker who was deleted. */
export interface NamedQuote extends Quote {
  readonly session: string;
}

/** What became of the deletion of a speaker. */
export interface SpeakerDeletionReport {
  /** Stands for the name in what stays. */
  readonly pseudonym: string;
  /** The sessions that the speaker owned. */
  readonly deleted: readonly string[];
  /** The other sessions that the speaker is named in. */
  readonly redacted: readonly RedactedSession[];
  /** Each summary and each other text of a model or a tool that may quote the speaker. Those in deleted sessions are gone, and not named. */
  readonly quotes: readonly NamedQuote[];
  /** Sessions that are in use, here or in another host. The deletion goes on with them when it is asked for again, and at the next start. */
  readonly left: readonly string[];
  /** The sessions that stay and have the name in their id, which is not changed. */
  readonly named: readonly string[];
  readonly remains: Remains;
}

/** Deletions beyond a single session. */
export interface StoreDeletions {
  /**
   * Deletes a speaker: the sessions that they own, and in all others what they have said, with their name, which becomes a pseudonym. What they have running is cancelled first (cause `shutdown`), and
   * waited for. For the program itself, without tokens for everybody, and with tokens for the speaker, who cannot remove `all` quotes: those are answers to others. Rejects with
   * `AccessDenied`. A deletion that was interrupted goes on at the next start.
   */
  deleteSpeaker(speaker: SpeakerId, caller: Caller | null, quotes: QuoteRule): Promise<SpeakerDeletionReport>;
  /** Removes from the files of the store what was deleted, and resolves with what may remain there. It is repeated until nothing does. */
  purge(): Promise<Remains>;
}

/** All reject with `AccessDenied` and `TooManyOpens`. `caller` null: the program itself. */
export interface SessionArchive {
  /**
   * Resolves with all facts of a session, in order; null if there is no such session. For whoever may read it. Opens nothing. `readBlob` has the bytes
   * that the facts name.
   */
  exportSession(session: string, caller: Caller | null): Promise<AsyncIterable<SequencedFact> | null>;
  /**
   * Makes a session that goes on from the end of a turn, with what had settled in this one by then. For whoever may read this one and open the other; the
   * caller owns it, and nobody else is a member. Opens nothing. Rejects with a RangeError where `to` is no good id.
   */
  forkSession(session: string, caller: Caller | null, request: ForkRequest): Promise<ForkReply>;
  /**
   * Deletes the facts and the blobs of a session for good. For its owner, and for moderators in it. Resolves with false if there is no such session. Rejects
   * with `SessionInUse`. Those who have joined it leave (`deleted`). A session that is opened under the id later is a new one.
   */
  deleteSession(session: string, caller: Caller | null): Promise<boolean>;
  deletions(): Promise<StoreDeletions>;
}
