// The commands that manage a session, passed to it: who is a member, who is in the room of a bridge, who may stop what is another's, how long its tools may run.
import type { AccessAction } from '../../../machines/access.ts';
import type { Caller, Runtime } from '../session/api.ts';
import type { Session } from '../session/session.ts';
import { callingSpeaker } from './admission.ts';

export type MemberRuntime = Pick<
  Runtime,
  'invite' | 'remove' | 'createInvite' | 'revokeInvite' | 'setToolTimeout' | 'setSpeaker' | 'delegate'
>;

/** Runs a command of a session in which the caller may do this. */
export type RunCommand = <T>(
  id: string,
  caller: Caller | null,
  action: AccessAction,
  command: (session: Session) => Promise<T>,
) => Promise<T>;

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
  setSpeaker: (id, caller, change) => run(id, caller, 'speak', ({ commands }) => commands.setSpeaker(caller, change)),
  delegate: (id, caller, request) => run(id, caller, 'speak', ({ commands }) => commands.delegate(caller, request)),
});
