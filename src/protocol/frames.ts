// The frames of belay.v1, as docs/protocol.md has them: schemas for what clients send, types for what servers send.
// A client imports types from here, and nothing at run time.
import * as z from 'zod';
import type { AnswerCode } from '../../machines/codes.ts';
import type { ApprovalRequested, CancelSettled, Fact, FactType, QuestionAsked } from '../../machines/facts.ts';
import type { NodeId, NodeKind, Policy, Role, SessionKind, SpeakerId } from '../../machines/vocabulary.ts';
import type { FrameProblem } from './errors.ts';
import {
  type FrameLimits,
  maxReasonChars,
  maxRefChars,
  maxSessionChars,
  maxSpeakerChars,
  maxTargetChars,
  maxTokenChars,
  type subprotocol,
} from './frame-limits.ts';

// -- client frames

const wellFormed = (text: string) => text.isWellFormed();
const words = (max: number) => z.string().min(1).max(max).refine(wellFormed, 'must be well-formed Unicode');

const ref = z
  .string()
  .min(1)
  .max(maxRefChars)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces');
const session = z
  .string()
  .min(1)
  .max(maxSessionChars)
  .regex(/^[A-Za-z0-9._:@/-]*$/, 'must be made of A-Z a-z 0-9 . _ : @ / -');
const as = words(maxSpeakerChars).optional();

export const helloSchema = z.strictObject({
  type: z.literal('HELLO'),
  token: z.string().min(1).max(maxTokenChars).optional(),
});
export const joinSchema = z.strictObject({
  type: z.literal('JOIN'),
  ref,
  session,
  after: z.int().min(0).optional(),
});
export const saySchema = z.strictObject({
  type: z.literal('SAY'),
  ref,
  session: session.optional(),
  text: z.string().regex(/\S/, 'must not be blank').refine(wellFormed, 'must be well-formed Unicode'),
  as,
});
export const cancelSchema = z.strictObject({
  type: z.literal('CANCEL'),
  ref,
  session: session.optional(),
  target: words(maxTargetChars),
  reason: z.string().max(maxReasonChars).refine(wellFormed, 'must be well-formed Unicode').optional(),
  force: z.boolean().optional(),
  as,
});
const answerOf = <const T extends string>(type: T) =>
  z.strictObject({ type: z.literal(type), ref, session: session.optional(), target: words(maxTargetChars), as });
export const approveSchema = answerOf('APPROVE');
export const denySchema = answerOf('DENY');
export const answerSchema = answerOf('ANSWER').extend({
  text: z.string().min(1).refine(wellFormed, 'must be well-formed Unicode'),
});
export const leaveSchema = z.strictObject({
  type: z.literal('LEAVE'),
  ref,
  session: session.optional(),
});
export const pingSchema = z.strictObject({
  type: z.literal('PING'),
  ref,
});

export type HelloFrame = z.infer<typeof helloSchema>;
export type JoinFrame = z.infer<typeof joinSchema>;
export type SayFrame = z.infer<typeof saySchema>;
export type CancelFrame = z.infer<typeof cancelSchema>;
export type ApproveFrame = z.infer<typeof approveSchema>;
export type DenyFrame = z.infer<typeof denySchema>;
export type AnswerFrame = z.infer<typeof answerSchema>;
export type LeaveFrame = z.infer<typeof leaveSchema>;
export type PingFrame = z.infer<typeof pingSchema>;
/** An answer to what a call has asked somebody. */
export type AnsweringFrame = ApproveFrame | DenyFrame | AnswerFrame;
/** What is asked of a session that was joined. */
export type SessionFrame = SayFrame | CancelFrame | AnsweringFrame | LeaveFrame;
export type CommandFrame = JoinFrame | SessionFrame | PingFrame;
export type ClientFrame = HelloFrame | CommandFrame;

/** By type. A map: a type is what a stranger wrote, and `constructor` is none. */
export const clientSchemas: ReadonlyMap<string, z.ZodType<ClientFrame>> = new Map<string, z.ZodType<ClientFrame>>([
  ['HELLO', helloSchema],
  ['JOIN', joinSchema],
  ['SAY', saySchema],
  ['CANCEL', cancelSchema],
  ['APPROVE', approveSchema],
  ['DENY', denySchema],
  ['ANSWER', answerSchema],
  ['LEAVE', leaveSchema],
  ['PING', pingSchema],
]);

// -- server frames

export interface WelcomeFrame {
  readonly type: 'welcome';
  readonly protocol: typeof subprotocol;
  readonly connection: string;
  readonly speaker: SpeakerId;
  readonly roles: readonly Role[];
  readonly limits: FrameLimits;
}

/** A text block, or a piece of it. `offset` in UTF-16 code units. */
export interface TextPiece {
  readonly turn: NodeId;
  readonly index: number;
  readonly offset: number;
  readonly text: string;
}

export interface NodeFrame {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  readonly name: string | null;
  readonly state: 'running' | 'stopping' | 'settled';
  readonly since: number;
}

export interface JoinedFrame {
  readonly type: 'joined';
  readonly ref: string;
  readonly session: string;
  readonly kind: SessionKind;
  readonly policy: Policy;
  readonly seq: number;
  readonly nodes: readonly NodeFrame[];
  readonly blocks: readonly TextPiece[];
  readonly questions: readonly (ApprovalRequested | QuestionAsked)[];
}

export interface ReplayedFrame {
  readonly type: 'replayed';
  readonly ref: string;
  readonly session: string;
}

export interface LeftFrame {
  readonly type: 'left';
  readonly ref?: string;
  readonly session: string;
  readonly reason?: 'shutdown' | 'store_failed' | 'fenced' | 'session_failed';
}

export interface TextDeltaFrame extends TextPiece {
  readonly type: 'text_delta';
  readonly session: string;
}

export interface ToolOutputFrame {
  readonly type: 'tool_output';
  readonly session: string;
  readonly node: NodeId;
  readonly text: string;
  /** Characters left out before `text`. */
  readonly skipped?: number;
}

export interface ToolProgressFrame {
  readonly type: 'tool_progress';
  readonly session: string;
  readonly node: NodeId;
  /** How long the call has been running, in milliseconds. */
  readonly elapsedMs: number;
}

export interface ErrorFrame extends FrameProblem {
  readonly type: 'error';
  readonly ref?: string;
  readonly session?: string;
}

export interface SayRefusedFrame {
  readonly type: 'say_refused';
  readonly ref: string;
  readonly session: string;
  readonly code: string;
  readonly message: string;
}

export interface AlreadySettledFrame {
  readonly type: 'already_settled';
  readonly ref: string;
  readonly session: string;
  readonly target: string;
  readonly receipt: CancelSettled | null;
}

export interface UnknownTargetFrame {
  readonly type: 'unknown_target';
  readonly ref: string;
  readonly session: string;
  readonly target: string;
}

/** Behind the fact that closed the question, where there was one. */
export interface AnswerRefusedFrame {
  readonly type: 'answer_refused';
  readonly ref: string;
  readonly session: string;
  readonly target: string;
  readonly code: AnswerCode;
  readonly message: string;
}

export interface PongFrame {
  readonly type: 'pong';
  readonly ref: string;
}

/** Facts that concern nobody outside: `seq` has gaps where they are. */
export const withheldFacts = ['text_checkpoint', 'process_started'] as const satisfies readonly FactType[];
type WithheldFact = (typeof withheldFacts)[number];

/** What a frame of the fact has beyond it. */
interface FactExtras {
  readonly turn_opened: { readonly repeated?: true };
  readonly cancel_accepted: { readonly durable?: false; readonly repeated?: true };
  readonly cancel_settled: { readonly repeated?: true };
  readonly late_result: { readonly omitted?: number };
  readonly abandoned_ended: { readonly omitted?: number };
}
type Extra<T extends FactType> = T extends keyof FactExtras ? FactExtras[T] : unknown;
type FrameOfFact<F extends Fact> = F extends Fact
  ? F & { readonly session: string; readonly seq?: number; readonly at?: number } & Extra<F['type']>
  : never;

/** A fact on the wire. Without `seq` and `at` only as `durable: false` or `repeated: true`. */
export type FactFrame = FrameOfFact<Exclude<Fact, { type: WithheldFact }>>;

export type ServerFrame =
  | WelcomeFrame
  | JoinedFrame
  | ReplayedFrame
  | LeftFrame
  | TextDeltaFrame
  | ToolOutputFrame
  | ToolProgressFrame
  | ErrorFrame
  | SayRefusedFrame
  | AlreadySettledFrame
  | UnknownTargetFrame
  | AnswerRefusedFrame
  | PongFrame
  | FactFrame;
export type ServerFrameOf<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>;
