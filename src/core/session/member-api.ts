// The commands that doors send to a runtime to manage a session: who is a member, who is in the room of a bridge, who may stop what is another's, how long its tools may run, what it is called.
import type {
  InviteCreated,
  InviteRevoked,
  MemberInvited,
  MemberRemoved,
  SessionRenamed,
  StopDelegated,
  ToolTimeoutSet,
} from '../../../machines/facts.ts';
import type { RoomRole, SpeakerId } from '../../../machines/vocabulary.ts';

export type DelegateReply =
  /** `repeated`: it held before (or ends what did not hold), and nothing was written. */
  | { readonly type: 'stop_delegated'; readonly delegated: StopDelegated; readonly repeated: boolean }
  /** No live node of this id belongs to the speaker. */
  | { readonly type: 'not_yours'; readonly target: string }
  | { readonly type: 'too_many_delegations'; readonly limit: number };

/** Names another speaker who may stop what is the caller's. */
export interface DelegateRequest {
  /** Who may stop it. */
  readonly speaker: SpeakerId;
  /** `mine` (the default): every node of the caller. A node id: what the caller owns at and below it. */
  readonly target?: string | undefined;
  /** The time at which it ends, in milliseconds since 1970. Left out: when another one replaces it. A time that is over ends it now. */
  readonly until?: number | undefined;
  readonly ref?: string | undefined;
}

/** Who is in the room that a bridge relays. */
export interface RoomChange {
  /** Whether the speaker is there. */
  readonly present: boolean;
  /** The roles of the speaker in the room. Default: `member`. */
  readonly roles?: readonly RoomRole[] | undefined;
}

export type RoomReply =
  | { readonly type: 'speaker'; readonly present: boolean; readonly roles: readonly RoomRole[] }
  /** The speaker is no bridge, and only a bridge has a room. */
  | { readonly type: 'as_not_allowed' }
  /** The bridge does not have the role itself. */
  | { readonly type: 'role_not_allowed' }
  | { readonly type: 'too_many_speakers'; readonly limit: number };

export type InviteReply =
  /** `repeated`: the speaker was a member before, and nothing was written. */
  | { readonly type: 'member_invited'; readonly invited: MemberInvited; readonly repeated: boolean }
  | { readonly type: 'too_many_members'; readonly limit: number };

export interface RemoveReply {
  readonly type: 'member_removed';
  readonly removed: MemberRemoved;
  /** The speaker was no member, and nothing was written. */
  readonly repeated: boolean;
}

/** The request of `invite` and `remove`. */
export interface InviteRequest {
  /** Who becomes a member, or stops being one. */
  readonly speaker: SpeakerId;
  readonly ref?: string | undefined;
  /** The role in this session, for `invite`. Left out: that which the speaker has there, or `member`. */
  readonly role?: RoomRole | undefined;
}

export interface CreateInviteRequest {
  /** The role of who uses the link, in this session. Default: `member`. */
  readonly role?: RoomRole | undefined;
  /** How long it can be used, in milliseconds. */
  readonly ms: number;
  readonly ref?: string | undefined;
}

export type CreateInviteReply =
  /** `secret`: what lets in. There is no other copy of it. */
  | { readonly type: 'invite_created'; readonly created: InviteCreated; readonly secret: string }
  | { readonly type: 'too_many_invites'; readonly limit: number };

export interface RevokeInviteRequest {
  readonly invite: string;
  readonly ref?: string | undefined;
}

export interface RevokeInviteReply {
  readonly type: 'invite_revoked';
  readonly revoked: InviteRevoked;
  /** There was no such link, or none that could be used, and nothing was written. */
  readonly repeated: boolean;
}

export type RedeemReply =
  /** `repeated`: the speaker had the role before, and nothing was written. */
  | { readonly type: 'redeemed'; readonly role: RoomRole; readonly repeated: boolean }
  /** There is no such link, or it was used, was revoked, or is over. Which of these is not said. */
  | { readonly type: 'bad_invite' }
  /** The speaker has shown too many wrong links. */
  | { readonly type: 'rate_limited' }
  | { readonly type: 'too_many_members'; readonly limit: number };

/** Somebody has come into the session, or has gone. */
export interface PresenceChange {
  readonly speaker: SpeakerId;
  readonly present: boolean;
}

/** Who is in the session, who may be, and who may stop what is another's. */
export interface RoomView {
  /** The owner of the session; null: a program has opened it. */
  readonly owner: SpeakerId | null;
  readonly members: readonly { readonly speaker: SpeakerId; readonly role: RoomRole }[];
  readonly present: readonly SpeakerId[];
  /** The delegations that hold. */
  readonly delegations: readonly Pick<StopDelegated, 'by' | 'to' | 'target' | 'until'>[];
  /** The links that can be used, without their secrets. */
  readonly invites: readonly Pick<InviteCreated, 'invite' | 'role' | 'until' | 'by'>[];
}

/** A request to set the timeout of a tool for the calls of the session that start from then on. */
export interface SetTimeoutRequest {
  readonly tool: string;
  /** Milliseconds, from 1 000 to `limits.toolTimeoutMaxMs`; null: as it is configured. */
  readonly ms: number | null;
  /** An idempotency key among the timeouts that its speaker sets in the session. */
  readonly ref?: string | undefined;
}

export type SetTimeoutReply =
  /** `repeated`: the timeout had this value before, or its ref had set it, and nothing was written. */
  | { readonly type: 'tool_timeout_set'; readonly set: ToolTimeoutSet; readonly repeated: boolean }
  /** The ref has set another timeout, or that of another tool. */
  | { readonly type: 'ref_reused' }
  | { readonly type: 'no_such_tool' }
  /** `limit`: the longest that may be set. The message names both ends. */
  | { readonly type: 'timeout_out_of_range'; readonly limit: number; readonly message: string };

/** A request to give the session a title. */
export interface RenameRequest {
  /** The title, in which white space counts as one space; null: none, so that its first words name it. */
  readonly title: string | null;
  /** An idempotency key among the titles that its speaker gives the session. */
  readonly ref?: string | undefined;
}

export type RenameReply =
  /** `repeated`: the session had this title before, or its ref had set it, and nothing was written. */
  | { readonly type: 'session_renamed'; readonly renamed: SessionRenamed; readonly repeated: boolean }
  /** The ref has given another title. */
  | { readonly type: 'ref_reused' };
