// Performs the commands of a joined session beside CANCEL, LEAVE and the words of a SAY: APPROVE, DENY and ANSWER, INVITE, INVITE_LINK, REVOKE, REMOVE and DELEGATE (what others may do), SET_TIMEOUT, RENAME, READ, FORK, and those of a bridge (SPEAKER, TRANSCRIPT, BARGE_IN, PLAYED, and those of its calls).
import { answerCodes } from '../../machines/codes.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { AnswerRequest } from '../core/session/api.ts';
import type {
  AnsweringFrame,
  BargeInFrame,
  CallFrame,
  DelegateFrame,
  ForkFrame,
  InviteFrame,
  InviteLinkFrame,
  PlayedFrame,
  ReadFrame,
  RemoveFrame,
  RenameFrame,
  RevokeFrame,
  SetTimeoutFrame,
  SpeakerFrame,
  TranscriptFrame,
  VoiceFrame,
} from '../wire/client-frames.ts';
import { problem } from '../wire/errors.ts';
import { performCallCommand } from './call-frames.ts';
import type { CommandContext, CommandReply } from './command-context.ts';
import { forkProblem } from './command-replies.ts';
import { sayReplyFrame } from './say-frames.ts';

/** The frames of these commands. */
type OtherFrame =
  | AnsweringFrame
  | VoiceFrame
  | CallFrame
  | InviteFrame
  | InviteLinkFrame
  | RevokeFrame
  | RemoveFrame
  | DelegateFrame
  | SetTimeoutFrame
  | RenameFrame
  | SpeakerFrame
  | ReadFrame
  | ForkFrame;

/** Performs a command of a caller in a session. Rejects with the error of the runtime. */
export function performSessionCommand(frame: OtherFrame, context: CommandContext): Promise<CommandReply> {
  switch (frame.type) {
    case 'APPROVE':
    case 'DENY':
    case 'ANSWER':
      return answerQuestion(frame, context);
    case 'INVITE':
      return inviteSpeaker(frame, context);
    case 'INVITE_LINK':
      return createInviteLink(frame, context);
    case 'REVOKE':
      return revokeInvite(frame, context);
    case 'REMOVE':
      return removeMember(frame, context);
    case 'DELEGATE':
      return delegateStop(frame, context);
    case 'SET_TIMEOUT':
      return setTimeoutOfTool(frame, context);
    case 'RENAME':
      return renameSession(frame, context);
    case 'SPEAKER':
      return setSpeaker(frame, context);
    case 'READ':
      return readOffer(frame, context);
    case 'FORK':
      return forkSession(frame, context);
    case 'TRANSCRIPT':
      return sayTranscript(frame, context);
    case 'BARGE_IN':
      return bargeIn(frame, context);
    case 'PLAYED':
      return reportPlayed(frame, context);
    case 'OPEN_CALL':
    case 'REPORT_CALL':
    case 'SETTLE_CALL':
      return performCallCommand(frame, context);
  }
}

const answers = { APPROVE: 'approved', DENY: 'denied', ANSWER: 'answered' } as const;

async function answerQuestion(
  frame: AnsweringFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const { ref } = frame;
  const reply = await runtime.answer(session, caller, answerRequestOf(frame));
  if (reply.type === 'ref_reused') return { problem: problem(reply.type, { field: 'ref' }) };
  if (reply.type === 'answer_taken') return null; // the fact that closes the question is the reply
  const { target, code } = reply;
  return { frame: { type: 'answer_refused', ref, session, target, code, message: answerCodes[code] } };
}

/** Values are answered as their JSON. */
function answerRequestOf(frame: AnsweringFrame): AnswerRequest {
  const { type, ref, target, question } = frame;
  const request = { ref, target, question, answer: answers[type] };
  if (frame.type !== 'ANSWER') return request;
  return { ...request, text: frame.values === undefined ? frame.text : JSON.stringify(frame.values) };
}

async function inviteSpeaker(
  { speaker, ref, role }: InviteFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.invite(session, caller, { speaker, ref, role });
  if (reply.type === 'too_many_members') return { problem: problem(reply.type, { limit: reply.limit }) };
  return reply.repeated ? { frame: { session, ...reply.invited, repeated: true } } : null;
}

async function createInviteLink(
  { ref, role, ms }: InviteLinkFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.createInvite(session, caller, { role, ms, ref });
  if (reply.type === 'too_many_invites') return { problem: problem(reply.type, { limit: reply.limit }) };
  const { created, secret } = reply;
  const { invite, until } = created;
  return { frame: { type: 'invite_link', ref, session, invite, secret, role: created.role, until } };
}

async function revokeInvite(
  { invite, ref }: RevokeFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.revokeInvite(session, caller, { invite, ref });
  return reply.repeated ? { frame: { session, ...reply.revoked, repeated: true } } : null;
}

async function removeMember(
  { speaker, ref }: RemoveFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.remove(session, caller, { speaker, ref });
  return reply.repeated ? { frame: { session, ...reply.removed, repeated: true } } : null;
}

async function delegateStop(frame: DelegateFrame, { runtime, session, caller }: CommandContext): Promise<CommandReply> {
  const { speaker, target, until, ref } = frame;
  const reply = await runtime.delegate(session, caller, { speaker, target, until, ref });
  if (reply.type === 'not_yours') return { problem: problem(reply.type, { field: 'target' }) };
  if (reply.type === 'too_many_delegations') return { problem: problem(reply.type, { limit: reply.limit }) };
  return reply.repeated ? { frame: { session, ...reply.delegated, repeated: true } } : null;
}

async function setTimeoutOfTool(
  { tool, ms, ref }: SetTimeoutFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.setToolTimeout(session, caller, { tool, ms, ref });
  if (reply.type === 'ref_reused') return { problem: problem(reply.type, { field: 'ref' }) };
  if (reply.type === 'no_such_tool') return { problem: problem(reply.type, { field: 'tool' }) };
  if (reply.type === 'timeout_out_of_range')
    return { problem: problem(reply.type, { field: 'ms', limit: reply.limit, message: reply.message }) };
  return reply.repeated ? { frame: { session, ...reply.set, repeated: true } } : null;
}

async function renameSession(
  { title, ref }: RenameFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.renameSession(session, caller, { title, ref });
  if (reply.type === 'ref_reused') return { problem: problem(reply.type, { field: 'ref' }) };
  return reply.repeated ? { frame: { session, ...reply.renamed, repeated: true } } : null;
}

async function setSpeaker(frame: SpeakerFrame, { runtime, session, caller }: CommandContext): Promise<CommandReply> {
  const { ref, as: speaker, present, roles } = frame;
  const reply = await runtime.setSpeaker(session, caller, { present, roles });
  if (reply.type === 'as_not_allowed') return { problem: problem(reply.type, { field: 'as' }) };
  if (reply.type === 'role_not_allowed') return { problem: problem(reply.type, { field: 'roles' }) };
  if (reply.type === 'too_many_speakers') return { problem: problem(reply.type, { limit: reply.limit }) };
  return { frame: { type: 'speaker', ref, session, speaker, present, roles: reply.roles } };
}

async function readOffer(frame: ReadFrame, { runtime, session, caller }: CommandContext): Promise<CommandReply> {
  const { ref, server, resource, prompt, arguments: given } = frame;
  const reply = await runtime.readOffer(session, caller, { server, resource, prompt, arguments: given });
  if (reply.type === 'not_readable') return { problem: problem(reply.type, { message: reply.message }) };
  const { parts, offers } = reply;
  return { frame: { type: 'read', ref, session, ...dropUndefined({ parts, offers }) } };
}

async function forkSession(
  { ref, turn, to }: ForkFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.forkSession(session, caller, { turn, to, ref });
  if (reply.type !== 'forked') return { problem: forkProblem(reply) };
  const { fork, from, by, repeated } = reply;
  const forked = { type: 'forked', ref, session, fork, turn: reply.turn, from, by } as const;
  return { frame: repeated ? { ...forked, repeated } : forked };
}

async function sayTranscript(
  frame: TranscriptFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const { type: _, session: __, as: ___, ...request } = frame;
  const { ref } = frame;
  const reply = await runtime.voice.transcript(session, caller, request);
  if (reply.type === 'not_voice') return { problem: problem(reply.type) };
  if (reply.type === 'ref_reused') return { problem: problem(reply.type, { field: 'ref' }) };
  if (reply.type === 'transcript_ignored') return { frame: { ...reply, session, ...dropUndefined({ ref }) } };
  const sent = sayReplyFrame(session, frame, reply);
  return sent && { frame: sent };
}

const spokenToOthers =
  'What is spoken is spoken to somebody else, or at another connection. Without the role "bridge" a speaker interrupts only what this connection has reported as PLAYED.';
const playedByOthers =
  'The turn belongs to somebody else, or is played at another connection. Without the role "bridge" a speaker reports PLAYED of their own turns only, over one connection.';

async function bargeIn(
  { durationMs, ref }: BargeInFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.voice.bargeIn(session, caller, { durationMs });
  if (reply.type === 'not_voice') return { problem: problem(reply.type) };
  if (reply.type === 'not_yours') return { problem: problem(reply.type, { message: spokenToOthers }) };
  return { frame: { ...reply, session, ...dropUndefined({ ref }) } };
}

async function reportPlayed(frame: PlayedFrame, { runtime, session, caller }: CommandContext): Promise<CommandReply> {
  const { turn, index, ref } = frame;
  const { offset = 0, ms } = frame;
  const place = ms === undefined ? frame : (await runtime.voice.sound()).placeAt(session, { turn, index }, ms);
  if (place === null) return { frame: { type: 'unknown_target', session, target: turn, ...dropUndefined({ ref }) } };
  const played = { turn, index, offset: place.offset ?? offset, estimated: frame.estimated || place.estimated };
  const reply = await runtime.voice.played(session, caller, played);
  if (reply.type === 'not_voice') return { problem: problem(reply.type) };
  if (reply.type === 'not_yours') return { problem: problem(reply.type, { field: 'turn', message: playedByOthers }) };
  return { frame: { ...reply, session, ...dropUndefined({ ref }) } };
}
