// Performs INVITE, REMOVE, DELEGATE, SPEAKER and READ: what a speaker lets others do in a session, who a bridge says is there, and what servers offer.
import { dropUndefined } from '../collections/drop-undefined.ts';
import type { DelegateFrame, InviteFrame, ReadFrame, RemoveFrame, SpeakerFrame } from '../protocol/client-frames.ts';
import { type FrameProblem, problem } from '../protocol/errors.ts';
import type { ServerFrame } from '../protocol/server-frames.ts';
import type { Caller, Runtime } from '../session/api.ts';

export type GrantFrame = InviteFrame | RemoveFrame | DelegateFrame | SpeakerFrame | ReadFrame;

/** What is sent to the sender alone: a frame, or an error; null: a fact is the reply, which is sent to every member. */
export type GrantReply = { readonly frame: ServerFrame } | { readonly problem: FrameProblem } | null;

/** Performs the command of a caller in a session. Rejects as the runtime does. */
export function performGrant(
  frame: GrantFrame,
  about: { readonly runtime: Runtime; readonly session: string; readonly caller: Caller },
): Promise<GrantReply> {
  switch (frame.type) {
    case 'INVITE':
      return invite(frame, about);
    case 'REMOVE':
      return remove(frame, about);
    case 'DELEGATE':
      return delegate(frame, about);
    case 'SPEAKER':
      return setSpeaker(frame, about);
    case 'READ':
      return read(frame, about);
  }
}

type About = Parameters<typeof performGrant>[1];

async function invite({ speaker, ref }: InviteFrame, { runtime, session, caller }: About): Promise<GrantReply> {
  const reply = await runtime.invite(session, caller, { speaker, ref });
  if (reply.type === 'too_many_members') return { problem: problem(reply.type, { limit: reply.limit }) };
  return reply.repeated ? { frame: { session, ...reply.invited, repeated: true } } : null;
}

async function remove({ speaker, ref }: RemoveFrame, { runtime, session, caller }: About): Promise<GrantReply> {
  const reply = await runtime.remove(session, caller, { speaker, ref });
  return reply.repeated ? { frame: { session, ...reply.removed, repeated: true } } : null;
}

async function delegate(frame: DelegateFrame, { runtime, session, caller }: About): Promise<GrantReply> {
  const { speaker, target, until, ref } = frame;
  const reply = await runtime.delegate(session, caller, { speaker, target, until, ref });
  if (reply.type === 'not_yours') return { problem: problem(reply.type, { field: 'target' }) };
  if (reply.type === 'too_many_delegations') return { problem: problem(reply.type, { limit: reply.limit }) };
  return reply.repeated ? { frame: { session, ...reply.delegated, repeated: true } } : null;
}

async function setSpeaker(frame: SpeakerFrame, { runtime, session, caller }: About): Promise<GrantReply> {
  const { ref, as: speaker, present, roles } = frame;
  const reply = await runtime.setSpeaker(session, caller, { present, roles });
  if (reply.type === 'as_not_allowed') return { problem: problem(reply.type, { field: 'as' }) };
  if (reply.type === 'role_not_allowed') return { problem: problem(reply.type, { field: 'roles' }) };
  if (reply.type === 'too_many_speakers') return { problem: problem(reply.type, { limit: reply.limit }) };
  return { frame: { type: 'speaker', ref, session, speaker, present, roles: reply.roles } };
}

async function read(frame: ReadFrame, { runtime, session, caller }: About): Promise<GrantReply> {
  const { ref, server, resource, prompt, arguments: given } = frame;
  const reply = await runtime.readOffer(session, caller, { server, resource, prompt, arguments: given });
  if (reply.type === 'not_readable') return { problem: problem(reply.type, { message: reply.message }) };
  const { parts, offers } = reply;
  return { frame: { type: 'read', ref, session, ...dropUndefined({ parts, offers }) } };
}
