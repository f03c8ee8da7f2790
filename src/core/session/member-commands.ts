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

/** Records an invitation, and resolves after its commit. A member who has the role already is not invited again. `by` null: a program invites. */
export async function inviteMember(
  by: SpeakerId | null,
  { speaker, ref, role }: InviteRequest,
  { journal, members, limits }: MemberParts,
): Promise<InviteReply> {
  assertName(speaker);
  const isMember = members.owner === speaker || members.has(speaker);
  const ownRole = members.moderators.has(speaker) ? 'moderator' : 'member';
  const invited = { type: 'member_invited', speaker, by, ref: ref ?? null, ...dropUndefined({ role }) } as const;
  const repeated = isMember && (role === undefined || role === ownRole);
  if (!isMember && members.size >= limits.members) return { type: 'too_many_members', limit: limits.members };
  await journal.append(repeated ? [] : [invited]);
  return { type: 'member_invited', invited, repeated };
}

/** Records that a speaker is no longer a member; after the commit the connections of the speaker leave. Rejects for the owner. */
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

/** Throws a RangeError if a new speaker may not have this name. */
export const assertName = (speaker: SpeakerId): void => assertNoProblem(speakerNameProblem(speaker));

/** Throws a RangeError if no speaker can have this name, not even one whom an earlier version has stored. */
const assertStoredName = (speaker: SpeakerId): void => assertNoProblem(nameProblem(speaker));

function assertNoProblem(problem: string | null): void {
  if (problem !== null) throw new RangeError(`The id of a speaker ${problem}.`);
}
