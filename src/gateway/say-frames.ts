// SAY, STEER and RESUME, which open a turn or give words to one that runs: what their frames ask of the runtime, and the frames of its replies.
import { dropUndefined } from '../core/collections/fields.ts';
import type { RefReused, ResumeRequest, SayReply, SayRequest } from '../core/session/api.ts';
import type { ResumeFrame, SayFrame, SteerFrame, TranscriptFrame } from '../wire/client-frames.ts';
import { problem } from '../wire/errors.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import type { CommandContext, CommandReply } from './command-context.ts';
import { repeatedFrame } from './command-replies.ts';

/** Says what the frame has, or resumes its turn. */
export async function performSay(
  frame: SayFrame | SteerFrame | ResumeFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await (frame.type === 'RESUME'
    ? runtime.resume(session, caller, resumeRequestOf(frame))
    : runtime.say(session, caller, sayRequestOf(frame)));
  if (reply.type === 'ref_reused') return { problem: problem(reply.type, { field: 'ref' }) };
  const replyFrame = sayReplyFrame(session, frame, reply);
  return replyFrame && { frame: replyFrame };
}

/** Returns the request of a SAY or a STEER. */
export function sayRequestOf(frame: SayFrame | SteerFrame): SayRequest {
  const { text, parts, ref, options, addressed, replyToBot, seen } = frame;
  const steer = frame.type === 'STEER' ? { target: frame.target } : undefined;
  return { text, parts, ref, options, steer, addressed, replyToBot, seen };
}

/** Returns the request of a RESUME. */
export function resumeRequestOf({ turn, text, ref }: ResumeFrame): ResumeRequest {
  return { turn, text, ref };
}

/** Returns the reply to words; null if a fact (`turn_opened`, `input_deferred`) is the reply, which is sent to every connection. */
export function sayReplyFrame(
  session: string,
  { ref }: SayFrame | SteerFrame | ResumeFrame | TranscriptFrame,
  reply: Exclude<SayReply, RefReused>,
): ServerFrame | null {
  if (reply.type === 'turn_opened' || reply.type === 'input_deferred')
    return reply.repeated ? repeatedFrame(session, reply.repeated) : null;
  if (reply.type === 'stop_phrase') {
    const repeated = reply.repeated || undefined;
    return { type: 'stop_phrase', session, cancel: reply.cancel, ...dropUndefined({ ref, repeated }) };
  }
  return { type: 'say_refused', session, code: reply.code, message: reply.message, ...dropUndefined({ ref }) };
}
