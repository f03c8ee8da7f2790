// Frames on one side, calls and events of the runtime on the other: the only file that speaks both languages.
import { answerCodes } from '../../machines/codes.ts';
import type { CancelAccepted, CancelSettled, Fact, SequencedFact } from '../../machines/facts.ts';
import type { OutputDelta, TextDelta } from '../../machines/live-view.ts';
import type { Speaker } from '../../machines/vocabulary.ts';
import type { AnsweringFrame, CancelFrame, SayFrame } from '../protocol/client-frames.ts';
import type { FactFrame } from '../protocol/fact-frames.ts';
import { maxFrameOutputChars } from '../protocol/frame-limits.ts';
import type {
  AnswerRefusedFrame,
  JoinedFrame,
  ServerFrame,
  TextDeltaFrame,
  ToolOutputFrame,
} from '../protocol/server-frames.ts';
import { withheldFacts } from '../protocol/withheld-facts.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  CancelReply,
  CancelRequest,
  Joined,
  SayReply,
} from '../session/api.ts';

// -- inwards

/** Who says or wishes it: the connection's speaker, or, through a bridge, the one it speaks for. Checked before: `as` is the bridge's alone. */
export function callerOf(connection: string, speaker: Speaker, as: string | undefined): Caller {
  return { connection, speaker: as === undefined ? speaker : { id: as, roles: ['member'] } };
}

export function cancelRequestOf({ ref, target, reason, force }: CancelFrame): CancelRequest {
  return { ref, target, ...(reason !== undefined && { reason }), ...(force !== undefined && { force }) };
}

const answers = { APPROVE: 'approved', DENY: 'denied', ANSWER: 'answered' } as const;

export function answerRequestOf(frame: AnsweringFrame): AnswerRequest {
  const { type, ref, target } = frame;
  return { ref, target, answer: answers[type], ...(frame.type === 'ANSWER' && { text: frame.text }) };
}

// -- outwards

type ToldFact = Exclude<Fact, { type: (typeof withheldFacts)[number] }>;
const isTold = (fact: Fact): fact is ToldFact => !(withheldFacts as readonly string[]).includes(fact.type);

/** Null for a fact that is withheld. */
export function factFrame(session: string, { seq, fact }: SequencedFact): FactFrame | null {
  if (!isTold(fact)) return null;
  const { type, ...fields } = fact;
  return { type, session, seq, ...fields, ...cutOutput(fact) } as FactFrame;
}

/** A result's output within the bound of a frame; `omitted` counts what is missing in all. */
function cutOutput(fact: ToldFact): { output?: string; omitted?: number } {
  if (!('output' in fact) || fact.output === undefined || fact.output.length <= maxFrameOutputChars) return {};
  const before = 'omitted' in fact ? (fact.omitted ?? 0) : 0;
  return {
    output: fact.output.slice(0, maxFrameOutputChars),
    omitted: before + fact.output.length - maxFrameOutputChars,
  };
}

export function joinedFrame(
  ref: string,
  { session, kind, policy, seq, nodes, blocks, questions }: Joined,
): JoinedFrame {
  return {
    type: 'joined',
    ref,
    session,
    kind,
    policy,
    seq,
    nodes: nodes.map(({ node, kind, owner, parent, name, state, since }) => ({
      node,
      kind,
      owner,
      parent,
      name,
      state,
      since,
    })),
    blocks: blocks.map(({ turn, index, offset, text }) => ({ turn, index, offset, text })),
    questions,
  };
}

export function textFrame(session: string, { turn, index, offset, text }: TextDelta): TextDeltaFrame {
  return { type: 'text_delta', session, turn, index, offset, text };
}

export function outputFrame(session: string, { node, text }: OutputDelta): ToolOutputFrame {
  return { type: 'tool_output', session, node, text };
}

/** An acceptance before its commit. */
export function acceptedFrame(session: string, receipt: CancelAccepted): FactFrame {
  return { session, ...receipt, durable: false };
}

/** Null where the fact `turn_opened`, which every member hears, is the answer. */
export function sayReplyFrame(session: string, { ref }: SayFrame, answer: SayReply): ServerFrame | null {
  if (answer.type === 'turn_opened') {
    if (!answer.repeated) return null;
    const { turn, kind, owner, lane, text } = answer.repeated;
    return { type: 'turn_opened', session, turn, kind, owner, lane, text, ref, repeated: true };
  }
  return { type: 'say_refused', ref, session, code: answer.code, message: answer.message };
}

/** Null where a fact, or an acceptance before its commit, is the answer: every member hears those. */
export function cancelReplyFrame(session: string, { ref }: CancelFrame, answer: CancelReply): ServerFrame | null {
  switch (answer.type) {
    case 'cancel_accepted': {
      if (!answer.repeated) return null;
      return { session, ...answer.receipt, ref, repeated: true, ...(!answer.durable && { durable: false }) };
    }
    case 'cancel_refused':
      return null;
    case 'already_settled':
      return { type: 'already_settled', ref, session, target: answer.target, receipt: answer.receipt };
    case 'unknown_target':
      return { type: 'unknown_target', ref, session, target: answer.target };
  }
}

/** Null where the fact that closed the question is the answer. */
export function answerReplyFrame(
  session: string,
  { ref }: AnsweringFrame,
  answer: AnswerReply,
): AnswerRefusedFrame | null {
  if (answer.type === 'answer_taken') return null;
  const { target, code } = answer;
  return { type: 'answer_refused', ref, session, target, code, message: answerCodes[code] };
}

/** The end of a repeat: the first receipt's end under the ref of the repeat. */
export function repeatedSettledFrame(session: string, { ref }: CancelFrame, settled: CancelSettled): FactFrame {
  return { session, ...settled, ref, repeated: true };
}
