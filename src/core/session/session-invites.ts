// Invite links: each lets one speaker into the session, once, until its time. Keeps those of the session, folded from its facts, and makes, revokes and redeems them.
//
// 1. The secret of a link is nowhere: the log has its hash, and the reply to who has made it is the only copy.
// 2. A link ends with the right of who has made it: when they are removed, or are no moderator any more.
import type { InviteCreated, InviteRevoked, MemberInvited, SequencedFact } from '../../../machines/facts.ts';
import type { RoomRole, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { createSecret } from '../sources/system.ts';
import { hashOfSecret } from '../text/same-secret.ts';
import { type Appender, type FactHandlers, type Projection, passFact } from '../transcript/journal.ts';
import type { SessionMembers } from '../transcript/session-members.ts';
import type {
  CreateInviteReply,
  CreateInviteRequest,
  RedeemReply,
  RevokeInviteReply,
  RevokeInviteRequest,
} from './member-api.ts';

/** Links of a session that can be used at a time. */
export const maxInvites = 100;

interface Invite extends InviteCreated {
  readonly hash: string;
  /** Who has used it; null: nobody has. */
  readonly usedBy: SpeakerId | null;
}

export class SessionInvites implements Projection {
  static readonly #handlers: FactHandlers<SessionInvites> = {
    invite_created(fact) {
      this.#put({ ...fact, hash: '', usedBy: null });
    },
    invite_secret({ invite, hash }) {
      const created = this.#invites?.get(invite);
      if (created) this.#put({ ...created, hash });
    },
    invite_revoked({ invite }) {
      this.#invites?.delete(invite);
    },
    member_invited({ speaker, invite, role }) {
      if (role === 'member') this.#endThoseOf(speaker);
      const used = invite === undefined ? undefined : this.#invites?.get(invite);
      if (used) this.#put({ ...used, usedBy: speaker });
    },
    member_removed({ speaker }) {
      this.#endThoseOf(speaker);
    },
  };
  readonly appended = SessionInvites.#handlers;
  readonly #clock: Clock;
  /** By id. Null until there is one. */
  #invites: Map<string, Invite> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The links that can be used now. */
  get open(): readonly Invite[] {
    return this.#current().filter(({ usedBy }) => usedBy === null);
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  /** Returns the link with this secret whose time is not over; undefined: there is none. A hash is compared, so the time reveals nothing about a secret. */
  find(secret: string): Invite | undefined {
    const hash = hashOfSecret(secret);
    return this.#current().find((invite) => invite.hash === hash);
  }

  /** Returns the open link that a command has made; undefined: there is none. */
  madeBy(by: SpeakerId | null, ref: string | undefined): Invite | undefined {
    return ref === undefined ? undefined : this.open.find((invite) => invite.by === by && invite.ref === ref);
  }

  has(invite: string): boolean {
    return this.open.some((one) => one.invite === invite);
  }

  #current(): readonly Invite[] {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#invites ?? []) if (until <= now) this.#invites?.delete(id);
    return [...(this.#invites?.values() ?? [])];
  }

  #put(invite: Invite): void {
    this.#invites ??= new Map();
    this.#invites.set(invite.invite, invite);
  }

  #endThoseOf(speaker: SpeakerId): void {
    for (const { invite, by, usedBy } of this.#invites?.values() ?? [])
      if (by === speaker && usedBy === null) this.#invites?.delete(invite);
  }
}

export interface InviteParts {
  readonly journal: Appender;
  readonly members: SessionMembers;
  readonly invites: SessionInvites;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly limits: { readonly members: number };
}

/** Makes a link; `by` null: a program does. Resolves after its commit. The same command again makes another link in place of the first one, whose secret nobody has any more. */
export async function createInvite(
  by: SpeakerId | null,
  { role = 'member', ms, ref }: CreateInviteRequest,
  { journal, invites, ids, clock }: InviteParts,
): Promise<CreateInviteReply> {
  const replaced = invites.madeBy(by, ref);
  if (!replaced && invites.open.length >= maxInvites) return { type: 'too_many_invites', limit: maxInvites };
  const secret = createSecret();
  const created: InviteCreated = {
    type: 'invite_created',
    invite: ids('invite'),
    role,
    until: clock.now() + ms,
    by,
    ref: ref ?? null,
  };
  await journal.append([
    ...(replaced ? [{ type: 'invite_revoked', invite: replaced.invite, by, ref: null } as const] : []),
    created,
    { type: 'invite_secret', invite: created.invite, hash: hashOfSecret(secret) },
  ]);
  return { type: 'invite_created', created, secret };
}

/** Revokes a link; `by` null: a program does. Resolves after its commit. `repeated`: there is no such link, or none that can be used. */
export async function revokeInvite(
  by: SpeakerId | null,
  { invite, ref }: RevokeInviteRequest,
  { journal, invites }: InviteParts,
): Promise<RevokeInviteReply> {
  const revoked: InviteRevoked = { type: 'invite_revoked', invite, by, ref: ref ?? null };
  const repeated = !invites.has(invite);
  await journal.append(repeated ? [] : [revoked]);
  return { type: 'invite_revoked', revoked, repeated };
}

/**
 * Makes the speaker a member by the secret of a link, which is used up in this tick. A speaker who has the role of the link already uses up nothing, and one who has used the link is let in again
 * for as long as they are a member.
 */
export async function redeemInvite(
  speaker: SpeakerId,
  secret: string,
  { journal, members, invites, limits }: InviteParts,
): Promise<RedeemReply> {
  const found = invites.find(secret);
  if (!found) return { type: 'bad_invite' };
  const { invite, role, by, usedBy } = found;
  const isMember = members.has(speaker);
  if (usedBy !== null) return usedBy === speaker && isMember ? redeemed(role, true) : { type: 'bad_invite' };
  const has = (isMember || members.owner === speaker) && (role === 'member' || members.moderators.has(speaker));
  if (has) return redeemed(role, true);
  if (!isMember && members.size >= limits.members) return { type: 'too_many_members', limit: limits.members };
  const invited: MemberInvited = { type: 'member_invited', speaker, by, ref: null, ...roleField(role), invite };
  await journal.append([invited]);
  return redeemed(role, false);
}

const redeemed = (role: RoomRole, repeated: boolean): RedeemReply => ({ type: 'redeemed', role, repeated });

/** Returns the field of a role that is more than that of every member. */
export const roleField = (role: RoomRole): { readonly role?: RoomRole } => (role === 'member' ? {} : { role });
