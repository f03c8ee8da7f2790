// The check of access: asks the rule of a session whether a caller may do something there.
import {
  type AccessAction,
  type AccessRule,
  type AccessSpeaker,
  access,
  type BuiltinAccess,
} from '../../../machines/access.ts';
import type { Caller } from '../session/api.ts';
import type { SessionMembers } from '../transcript/session-members.ts';

/** A session that is awake, as far as access to it is concerned. */
export interface GuardedSession {
  readonly id: string;
  /** The rule of the session; undefined: the default. */
  readonly access?: BuiltinAccess | AccessRule | undefined;
  readonly members: Pick<SessionMembers, 'owner' | 'has' | 'moderators'>;
}

/**
 * Whether the caller may do this in the session. `caller` null: the program itself, which may do everything. An embedder's rule that throws refuses, and is
 * reported to `warn`.
 */
export function mayAccess(
  action: AccessAction,
  caller: Caller | null,
  { id, access: rule, members }: GuardedSession,
  warn: (message: string, error: unknown) => void,
): boolean {
  if (caller === null) return true;
  const own = accessSpeakerOf(caller);
  const speaker: AccessSpeaker = members.moderators.has(own.id) ? { ...own, roles: [...own.roles, 'moderator'] } : own;
  const session = { id, owner: members.owner, isMember: members.has(speaker.id) };
  try {
    return access(action, speaker, session, rule ?? defaultAccessOf(caller)).may;
  } catch (error) {
    warn('The custom rule of access threw: the command is refused.', error);
    return false;
  }
}

/** Returns the rule where none is configured: with tokens there are members; without, everybody who can connect is let in. */
export const defaultAccessOf = ({ proof }: Caller): BuiltinAccess => (proof ? 'members' : 'open');

/** Returns who asks for access: the speaker of the connection, also where it speaks for another one. */
export function accessSpeakerOf({ proof, speaker, via }: Caller): AccessSpeaker {
  if (proof) return { ...proof.speaker, sessions: proof.sessions };
  return via === undefined ? { ...speaker, sessions: null } : { id: via, roles: ['bridge'], sessions: null };
}
