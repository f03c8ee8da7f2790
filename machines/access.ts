// Access: decides by a pure function who may open, read and use a session. Every door asks it, by way of the runtime.
import type { Role, SpeakerId } from './vocabulary.ts';

/** The rules built in. `open`: every speaker. `members`: the owner, who was invited, and whose token names the session. `private`: the owner. */
export const accessRules = ['open', 'members', 'private'] as const;
export type BuiltinAccess = (typeof accessRules)[number];

/**
 * What a speaker wants to do. `open`: open a session that does not exist. `read`: join it. `speak`: say something, or answer a question. `cancel`:
 * send a CANCEL; which nodes it stops is decided by `standing`. `invite`: make another speaker a member. `configure`: set its
 * title, and the timeouts of its tools. `delete`: delete its transcript.
 */
export type AccessAction = 'open' | 'read' | 'speak' | 'cancel' | 'invite' | 'configure' | 'delete';

/** The speaker of a connection. A bridge asks for itself, whoever it speaks for. */
export interface AccessSpeaker {
  readonly id: SpeakerId;
  readonly roles: readonly Role[];
  /** The names of sessions in its token, `*` for any characters; null: it names none. */
  readonly sessions: readonly string[] | null;
}

/** The properties of a session that a decision needs. */
export interface AccessSession {
  readonly id: string;
  /** The speaker who opened it; null: a program did, or it does not exist. */
  readonly owner: SpeakerId | null;
  /** Whether the speaker was invited, or has spoken in a session of a version that kept no owner. */
  readonly isMember: boolean;
}

export type AccessVerdict =
  | { readonly may: true; readonly because: 'rule' | 'owner' | 'member' | 'token' | 'role' }
  | { readonly may: false };

/**
 * An embedder's rule. It replaces the rules of `access` below, but for the CANCEL of an `emergency`. It must be pure: the same arguments give the same
 * verdict.
 */
export type AccessRule = (action: AccessAction, speaker: AccessSpeaker, session: AccessSession) => AccessVerdict;

const denied: AccessVerdict = { may: false };
/** The actions of the owner of a session, and of a moderator in it. */
const ownerActions: readonly AccessAction[] = ['invite', 'configure', 'delete'];

/** Returns the verdict on one action. */
export function access(
  action: AccessAction,
  speaker: AccessSpeaker,
  session: AccessSession,
  rule: BuiltinAccess | AccessRule,
): AccessVerdict {
  if (action === 'cancel' && speaker.roles.includes('emergency')) return { may: true, because: 'role' };
  if (typeof rule === 'function') return rule(action, speaker, session);
  if (action === 'open') return openVerdict(speaker, session, rule);
  const entry = entryVerdict(speaker, session, rule);
  if (!entry.may || !ownerActions.includes(action)) return entry;
  if (session.owner === speaker.id) return entry;
  return speaker.roles.includes('moderator') ? { may: true, because: 'role' } : denied;
}

/** A token that names sessions opens no others. */
function openVerdict({ sessions }: AccessSpeaker, { id }: AccessSession, rule: BuiltinAccess): AccessVerdict {
  if (rule === 'open' || sessions === null) return { may: true, because: 'rule' };
  return namesSession(sessions, id) ? { may: true, because: 'token' } : denied;
}

function entryVerdict(speaker: AccessSpeaker, session: AccessSession, rule: BuiltinAccess): AccessVerdict {
  if (rule === 'open') return { may: true, because: 'rule' };
  if (session.owner === speaker.id) return { may: true, because: 'owner' };
  if (rule === 'private') return denied;
  if (session.isMember) return { may: true, because: 'member' };
  return namesSession(speaker.sessions ?? [], session.id) ? { may: true, because: 'token' } : denied;
}

const namesSession = (patterns: readonly string[], id: string): boolean =>
  patterns.some((pattern) => matchesName(pattern, id));

/** Whether a name matches a pattern: `*` stands for any characters, none included. Takes time in proportion to the length of the name. */
export function matchesName(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return name === pattern;
  if (!name.startsWith(head)) return false;
  let from = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, from); // the first place is the best: it leaves most of the name
    if (found < 0) return false;
    from = found + part.length;
  }
  return name.length - from >= tail.length && name.endsWith(tail);
}
