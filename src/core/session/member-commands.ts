// Performs INVITE and REMOVE: a speaker becomes a member of the session, or stops being one.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { nameProblem, speakerNameProblem } from '../text/printable.ts';
import type { Appender } from '../transcript/journal.ts';
import type { SessionMembers } from '../transcript/session-members.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { InviteReply, InviteRequest, RemoveReply } from './member-api.ts';
import type { Presence } from './presence.ts';

export interface MemberParts {
  readonly journal: Appender;
  readonly members: SessionMembers;
  readonly presence: Presence;
  readonly keys: IdempotencyKeys;
  readonly limits: { readonly members: number };
}

/** Records an invitation; `by` null: a program invites. Resolves after its commit. A member is not invited again. */
export async function inviteMember(
  by: SpeakerId | null,
  { speaker, ref, role }: InviteRequest,
  { journal, members, limits }: MemberParts,
): Promise<InviteReply> {
  assertName(speaker);
  const isMember = members.owner === speaker || members.has(speaker);
  const before = members.moderators.has(speaker) ? 'moderator' : 'member';
  const invited = { type: 'member_invited', speaker, by, ref: ref ?? null, ...dropUndefined({ role }) } as const;
  const repeated = isMember && (role === undefined || role === before);
  if (!isMember && members.size >= limits.members) return { type: 'too_many_members', limit: limits.members };
  await journal.append(repeated ? [] : [invited]);
  return { type: 'member_invited', invited, repeated };
}

/** Records that a speaker is no member any more; after its commit the connections of the speaker leave. Rejects for the owner. */
export async function removeMember(
  by: SpeakerId | null,
  { speaker, ref }: InviteRequest,
  { journal, members, presence, keys }: MemberParts,
): Promise<RemoveReply> {
  assertStoredName(speaker);
  if (members.owner === speaker)
    throw Object.assign(new Error('The owner of a session cannot be removed.'), { code: 'access_denied' });
  const removed = { type: 'member_removed', speaker, by, ref: ref ?? null } as const;
  const repeated = !members.has(speaker);
  await journal.append(repeated ? [] : [removed]);
  for (const connection of presence.removeSpeaker(speaker)) keys.forgetConnection(connection);
  return { type: 'member_removed', removed, repeated };
}

/** Throws a RangeError if the name of a speaker who may be new is not good. */
export function assertName(speaker: SpeakerId): void {
  const problem = speakerNameProblem(speaker);
  if (problem !== null) throw new RangeError(`The name of a speaker ${problem}.`);
}

/** Throws a RangeError if no session can have a speaker of this name, by any rule. */
function assertStoredName(speaker: SpeakerId): void {
  const problem = nameProblem(speaker);
  if (problem !== null) throw new RangeError(`The name of a speaker ${problem}.`);
}
