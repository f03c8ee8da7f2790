// The transcript of a session as a whole, for doors: its export, its forks and its deletion.
import type { ForkOrigin, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
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
}
