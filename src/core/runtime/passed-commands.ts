// The commands that a runtime passes to the session that they are for: who is a member, who may stop what is another's, how long tools may run, what it is called, what is spoken in a voice session.
import type { AccessAction } from '../../../machines/access.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { loadOnce } from '../collections/load-once.ts';
import type { Log } from '../contracts/log.ts';
import type { Caller, RedeemReply, Runtime, VoiceRuntime } from '../session/api.ts';
import type { CallRuntime } from '../session/call-api.ts';
import { assertName } from '../session/member-commands.ts';
import { reportRefusal } from '../session/observers.ts';
import { hasInvite } from '../session/read-log.ts';
import type { Session } from '../session/session.ts';
import type { CommandRefusal } from '../session/session-spec.ts';
import { type Admission, callingSpeaker } from './admission.ts';

export type MemberRuntime = Pick<
  Runtime,
  'invite' | 'remove' | 'createInvite' | 'revokeInvite' | 'setToolTimeout' | 'renameSession' | 'setSpeaker' | 'delegate'
>;

/** Runs a command of a session in which the caller may do this. */
export type RunCommand = <T>(
  id: string,
  caller: Caller | null,
  action: AccessAction,
  command: (session: Session) => Promise<T>,
) => Promise<T>;

/** Returns the commands that manage a session. */
export const createMemberRuntime = (run: RunCommand): MemberRuntime => ({
  invite: (id, caller, request) =>
    run(id, caller, 'invite', ({ commands }) => commands.invite(callingSpeaker(caller), request)),
  remove: (id, caller, request) =>
    run(id, caller, 'invite', ({ commands }) => commands.remove(callingSpeaker(caller), request)),
  createInvite: (id, caller, request) =>
    run(id, caller, 'invite', ({ commands }) => commands.createInvite(callingSpeaker(caller), request)),
  revokeInvite: (id, caller, request) =>
    run(id, caller, 'invite', ({ commands }) => commands.revokeInvite(callingSpeaker(caller), request)),
  setToolTimeout: (id, caller, request) =>
    run(id, caller, 'configure', ({ commands }) => commands.setToolTimeout(callingSpeaker(caller), request)),
  renameSession: (id, caller, request) =>
    run(id, caller, 'configure', ({ commands }) => commands.rename(callingSpeaker(caller), request)),
  setSpeaker: (id, caller, change) => run(id, caller, 'speak', ({ commands }) => commands.setSpeaker(caller, change)),
  delegate: (id, caller, request) => run(id, caller, 'speak', ({ commands }) => commands.delegate(caller, request)),
});

export interface VoiceRuntimeParts {
  /** Runs a command of a session that the caller may speak in. */
  command<T>(id: string, caller: Caller | null, command: (session: Session) => Promise<T>): Promise<T>;
  /** Whether the rule of access lets the caller cancel there. */
  mayCancel(session: Session, caller: Caller | null): boolean;
  onRefused(refusal: CommandRefusal): void;
}

/** Returns the commands about speech: of a bridge in voice sessions, or of a speaker for what is spoken at their own connection. */
export const createVoiceRuntime = ({ command, mayCancel, onRefused }: VoiceRuntimeParts): VoiceRuntime => ({
  transcript(id, caller, said) {
    const say = (session: Session) => session.commands.voice.transcript(caller, said, mayCancel(session, caller));
    return reportRefusal(id, caller, command(id, caller, say), onRefused);
  },
  bargeIn: (id, caller, request) => command(id, caller, ({ commands }) => commands.voice.bargeIn(caller, request)),
  played: (id, caller, request) => command(id, caller, ({ commands }) => commands.voice.played(caller, request)),
  sound: loadOnce(async () => {
    const { LocalSoundRelay } = await import('./sound-relay.ts');
    return new LocalSoundRelay();
  }),
});

/** Returns the commands about calls that a bridge or a program runs itself. */
export const createCallRuntime = (run: RunCommand): CallRuntime => ({
  open: (id, caller, request) => run(id, caller, 'speak', ({ commands }) => commands.calls.open(caller, request)),
  report: (id, caller, request) => run(id, caller, 'speak', ({ commands }) => commands.calls.report(caller, request)),
  settle: (id, caller, request) => run(id, caller, 'speak', ({ commands }) => commands.calls.settle(caller, request)),
});

/** Lets a speaker into a session by an invite link: see `Runtime.redeemInvite`. `sessions`: those that are awake. `wake`: opens a session that exists. */
export async function redeemShownInvite(
  [id, caller, secret]: Parameters<Runtime['redeemInvite']>,
  log: Log,
  admission: Admission,
  sessions: ReadonlyMap<string, Session>,
  wake: (id: string) => Promise<Session>,
): Promise<RedeemReply> {
  assertName(caller.speaker.id);
  return admission.tryInvite(caller, async () => {
    const isAwake = sessions.get(id)?.state.kind === 'open';
    if (!isAwake && !(await hasInvite(log, id, secret))) return { type: 'bad_invite' };
    const session = await wake(id);
    const { access, members } = session.guarded;
    // where no member is let in, the link is not used up for nothing
    const asMember = { owner: members.owner, has: () => true, moderators: new Set<SpeakerId>() };
    if (!admission.may('read', caller, { id, access, members: asMember })) return { type: 'bad_invite' };
    return session.commands.redeemInvite(caller.speaker.id, secret);
  });
}
