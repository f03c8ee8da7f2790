// Translates frames into requests of the runtime, and its replies and events into frames. No other file knows both.

import { answerCodes } from '../../machines/codes.ts';
import type { ContentPart } from '../../machines/content.ts';
import type {
  CancelAccepted,
  CancelSettled,
  Fact,
  InputDeferred,
  RecordedFact,
  SequencedFact,
  ToolResult,
  TurnOpened,
} from '../../machines/facts.ts';
import type { OutputDelta, TextDelta, ToolWaiting } from '../../machines/live-view.ts';
import type { NodeId, Speaker } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../core/collections/drop-undefined.ts';
import { fieldsOf } from '../core/collections/untrusted-fields.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  CancelDecision,
  CancelRequest,
  Joined,
  MembershipEnd,
  RefReused,
  ResumeRequest,
  SayReply,
  SayRequest,
  TokenProof,
} from '../core/session/api.ts';
import { errorText } from '../core/text/error-text.ts';
import type {
  AnswerFrame,
  AnsweringFrame,
  CancelFrame,
  CommandFrame,
  ResumeFrame,
  SayFrame,
  SteerFrame,
  TranscriptFrame,
} from '../wire/client-frames.ts';
import { closeCodes } from '../wire/close-codes.ts';
import { type FrameProblem, problem } from '../wire/errors.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import { maxFrameOutputChars } from '../wire/frame-limits.ts';
import type {
  AnswerRefusedFrame,
  JoinedFrame,
  ServerFrame,
  TextDeltaFrame,
  ToolOutputFrame,
  ToolWaitingFrame,
} from '../wire/server-frames.ts';
import { withheldFacts } from '../wire/withheld-facts.ts';

// -- inwards

/** Returns the first field of a frame that only a bridge may use, `type` for a frame that only a bridge may send; null: there is none. */
export function bridgeFieldOf(frame: CommandFrame): string | null {
  if (frame.type === 'PLAYED') return 'type';
  const used = new Map<string, unknown>(Object.entries(frame));
  return (
    ['as', ...(frame.type === 'SAY' || frame.type === 'STEER' ? ['addressed', 'replyToBot'] : [])].find(
      (name) => used.get(name) !== undefined,
    ) ?? null
  );
}

/** A connection with its speaker; `proof` undefined: no token was needed. */
interface Sender {
  readonly connection: string;
  readonly speaker: Speaker;
  readonly proof?: TokenProof | undefined;
}

/** Returns the caller of a command: the connection's speaker, or the one that a bridge speaks for (`as`, which has been checked). */
export function callerOfCommand({ connection, speaker, proof }: Sender, as: string | undefined): Caller {
  return as === undefined
    ? { connection, speaker, proof }
    : { connection, speaker: { id: as, roles: ['member'] }, via: speaker.id, proof };
}

/** Returns the request of a CANCEL. */
export function cancelRequestOf({ ref, target, reason, force, seen, says }: CancelFrame): CancelRequest {
  return { ref, target, reason, force, seen, says };
}

/** Returns the request of a SAY or a STEER. */
export function sayRequestOf(frame: SayFrame | SteerFrame): SayRequest {
  const { text, parts, ref, options, addressed, replyToBot } = frame;
  const steer = frame.type === 'STEER' ? { target: frame.target } : undefined;
  return { text, parts, ref, options, steer, addressed, replyToBot };
}

/** Returns the request of a RESUME. */
export function resumeRequestOf({ turn, text, ref }: ResumeFrame): ResumeRequest {
  return { turn, text, ref };
}

const answers = { APPROVE: 'approved', DENY: 'denied', ANSWER: 'answered' } as const;

/** Returns the request of an APPROVE, DENY or ANSWER. */
export function answerRequestOf(frame: AnsweringFrame): AnswerRequest {
  const { type, ref, target, question } = frame;
  return {
    ref,
    target,
    question,
    answer: answers[type],
    text: frame.type === 'ANSWER' ? answerText(frame) : undefined,
  };
}

/** Values are answered as their JSON. */
const answerText = ({ text, values }: AnswerFrame): string | undefined =>
  values === undefined ? text : JSON.stringify(values);

// -- outwards

/** A reply that is no error. */
type Answered<Reply> = Exclude<Reply, RefReused>;

const withheld: ReadonlySet<string> = new Set(withheldFacts);

/** Returns the frame of a fact; null for a fact that is withheld. */
export function factFrame(session: string, { seq, fact }: SequencedFact): FactFrame | null {
  if (withheld.has(fact.type)) return null;
  const { type, ...fields } = fact.type === 'tool_result' || 'output' in fact ? cutEnd(fact) : fact;
  return { type, session, seq, ...fields } as FactFrame; // the spread forgets which fields belong to which type
}

/** Returns the end of a call with output and texts of parts within the limit of a frame; `omitted` counts all missing characters of the output. */
function cutEnd<End extends Extract<RecordedFact, { readonly output?: string }>>(end: End): End {
  const { output = '' } = end;
  const { omitted = 0, parts } = end as Partial<ToolResult>; // the other ends have neither
  const excess = output.length - maxFrameOutputChars;
  let left = maxFrameOutputChars;
  const cut = parts?.map((part): ContentPart => {
    if (part.type !== 'text') return part;
    const text = part.text.slice(0, left);
    left -= text.length;
    return { type: 'text', text };
  });
  return {
    ...end,
    ...(excess > 0 && { output: output.slice(0, maxFrameOutputChars), omitted: omitted + excess }),
    ...(cut && { parts: cut }),
  };
}

/** Returns the reply to a JOIN. `ref`: of the JOIN. */
export function joinedFrame(
  ref: string,
  { session, kind, policy, models, seq, nodes, blocks, questions, voice }: Joined,
): JoinedFrame {
  return {
    type: 'joined',
    ref,
    session,
    kind,
    policy,
    seq,
    nodes: nodes.map(({ node, kind, owner, parent, name, state, since, waitsFor }) => ({
      node,
      kind,
      owner,
      parent,
      name,
      state,
      since,
      ...dropUndefined({ waitsFor }),
    })),
    blocks: blocks.map(({ turn, index, offset, text }) => ({ turn, index, offset, text })),
    questions,
    ...(models && models.length > 0 && { models }),
    ...dropUndefined({ voice }),
  };
}

/** Returns the frame of a piece of text. */
export function textFrame(session: string, { turn, index, offset, text }: TextDelta): TextDeltaFrame {
  return { type: 'text_delta', session, turn, index, offset, text };
}

/** Returns the frame of a piece of a call's output. */
export function outputFrame(session: string, { node, text }: OutputDelta): ToolOutputFrame {
  return { type: 'tool_output', session, node, text };
}

/** Returns the frame of a call that waits for another one. */
export function waitingFrame(session: string, { node, waitsFor, elapsedMs }: ToolWaiting): ToolWaitingFrame {
  return { type: 'tool_waiting', session, node, waitsFor, elapsedMs };
}

/** Returns the frame of an acceptance before its commit. */
export function acceptedFrame(session: string, receipt: CancelAccepted): FactFrame {
  return { session, ...receipt, durable: false };
}

/** Returns the reply to a SAY, STEER or RESUME; null if a fact (`turn_opened`, `input_deferred`) is the reply, which is sent to every member. */
export function sayReplyFrame(
  session: string,
  { ref }: SayFrame | SteerFrame | ResumeFrame | TranscriptFrame,
  reply: Answered<SayReply>,
): ServerFrame | null {
  if (reply.type === 'turn_opened' || reply.type === 'input_deferred')
    return reply.repeated ? repeatedFrame(session, reply.repeated) : null;
  if (reply.type === 'stop_phrase') {
    const repeated = reply.repeated || undefined;
    return { type: 'stop_phrase', session, cancel: reply.cancel, ...dropUndefined({ ref, repeated }) };
  }
  return { type: 'say_refused', session, code: reply.code, message: reply.message, ...dropUndefined({ ref }) };
}

/** Returns the reply to a CANCEL; null if a fact, or an acceptance before its commit, is the reply, which is sent to every member. */
export function cancelReplyFrame(session: string, { ref }: CancelFrame, reply: CancelDecision): ServerFrame | null {
  switch (reply.type) {
    case 'cancel_accepted': {
      if (!reply.repeated) return null;
      const { running: _, ...receipt } = repeatedFrame(session, reply.receipt);
      const durable = reply.durable ? undefined : false;
      return { ...receipt, ref: ref ?? null, ...dropUndefined({ running: runningOf(reply), durable }) };
    }
    case 'cancel_refused':
      return null;
    case 'already_settled':
      return {
        type: 'already_settled',
        session,
        target: reply.target,
        receipt: reply.receipt && withoutTime(reply.receipt),
        ...dropUndefined({ ref, running: runningOf(reply) }),
      };
    case 'unknown_target':
      return { type: 'unknown_target', session, target: reply.target, ...dropUndefined({ ref }) };
  }
}

/** Returns the reply to an answer; null if the fact that closed the question is the reply. */
export function answerReplyFrame(
  session: string,
  { ref }: AnsweringFrame,
  reply: Answered<AnswerReply>,
): AnswerRefusedFrame | null {
  if (reply.type === 'answer_taken') return null;
  const { target, code } = reply;
  return { type: 'answer_refused', ref, session, target, code, message: answerCodes[code] };
}

/** Returns the end of a repeated CANCEL: the end of the first receipt, under the ref of the repeat. */
export function repeatedSettledFrame(session: string, { ref }: CancelFrame, settled: CancelSettled): FactFrame {
  return { ...repeatedFrame(session, settled), ref: ref ?? null };
}

/** The field is left out where it is empty. */
const runningOf = ({ running = [] }: { readonly running?: readonly NodeId[] | undefined }) =>
  running.length > 0 ? running : undefined;

/** Returns a fact without the time of its append: one that answers a repeat has none. */
export function withoutTime<F extends Fact>(fact: F): F {
  const { at: _, ...rest }: F & { readonly at?: number } = fact;
  return rest as F; // without a field that no fact has
}

const repeatedFrame = <F extends TurnOpened | InputDeferred | CancelAccepted | CancelSettled>(
  session: string,
  fact: F,
) => ({
  session,
  ...withoutTime(fact),
  repeated: true as const,
});

/** Returns the problem of a frame that the runtime could not execute. `what`: the sentence before the reason. */
export function problemOf(error: unknown, what: string): FrameProblem {
  const { code, limit } = fieldsOf(error);
  if (code === 'access_denied') return problem(code, { message: errorText(error) });
  if (code === 'too_many_opens') return problem(code, { message: errorText(error), limit: Number(limit) });
  const isHeldElsewhere = code === 'held_elsewhere';
  return problem(isHeldElsewhere ? 'held_elsewhere' : 'unavailable', { message: `${what}: ${errorText(error)}` });
}

/** Returns the error of a session that ended before it was joined. */
export function endError(reason: MembershipEnd): Error {
  if (reason === 'removed')
    return Object.assign(new Error('The speaker was removed from the session.'), { code: 'access_denied' });
  if (reason === 'deleted') return new Error('The session was deleted.');
  const error = new Error(closeCodes[reason].message);
  return reason === 'fenced' ? Object.assign(error, { code: 'held_elsewhere' }) : error;
}
