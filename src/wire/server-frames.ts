// The frames that servers send, as docs/protocol.md has them: a schema for each, and its type, inferred.
// A client imports types from here, and nothing at run time: the schemas check frames in development and in tests.
import * as z from 'zod';
import { answerCodes } from '../../machines/codes.ts';
import type { LiveNode, TextDelta } from '../../machines/live-view.ts';
import { causeSources, roles, roomRoles } from '../../machines/vocabulary.ts';
import { namesOf } from '../core/collections/fields.ts';
import type { DeepReadonly, Equal } from './deep-readonly.ts';
import { type FrameProblem, frameErrorCodes } from './errors.ts';
import {
  approvalRequestedSchema,
  cancelSettledSchema,
  contentPartsSchema,
  type FactFrame,
  factFrameSchemas,
  forkOriginSchema,
  nodeKindSchema,
  policySchema,
  questionAskedSchema,
  sessionKindSchema,
} from './fact-frames.ts';
import { type FrameLimits, subprotocol } from './frame-limits.ts';
import { soundTermsSchema, voiceRulesSchema, voiceSchemas } from './voice-frames.ts';

/** Parts of frames, for files that import no machine. */
export type { LiveNode, TextDelta } from '../../machines/live-view.ts';

const nameSchema = <const Codes extends object>(codes: Codes) => z.enum(namesOf(codes));

const text = z.string();
const count = z.int().min(0);
const limit = z.number();

/** A text block, or a piece of it: `offset` is where `text` begins in the block, in UTF-16 code units. */
const textPieceSchema = z.strictObject({ turn: text, index: count, offset: count, text });

/** The call that another one waits for. */
const awaitedCallSchema = z.strictObject({
  node: text,
  name: text.nullable(),
  owner: text,
  /** The session of the other call. Left out: it is the same one. */
  session: text.exactOptional(),
});

/** An entry of the live tree. */
const nodeSchema = z.strictObject({
  node: text,
  kind: nodeKindSchema,
  owner: text,
  parent: text.nullable(),
  name: text.nullable(),
  state: z.enum(['running', 'stopping', 'settled']),
  since: z.number(),
  ageMs: count.exactOptional(),
  waitedMs: count.exactOptional(),
  acknowledges: text.exactOptional(),
  waitsFor: awaitedCallSchema.exactOptional(),
});

/** What a JOIN with `last` brings beside the facts of these turns. */
const tailSchema = z.strictObject({
  start: z.int().min(1),
  owner: text.nullable(),
  members: z.array(text),
  delegations: z.array(z.strictObject({ by: text, to: text, target: text, until: z.number().nullable() })),
});

/** Who is in the session, who may be, and who may stop what is another's. */
const roomSchema = z.strictObject({
  owner: text.nullable(),
  members: z.array(z.strictObject({ speaker: text, role: z.enum(roomRoles) })),
  present: z.array(text),
  delegations: tailSchema.shape.delegations,
  invites: z.array(z.strictObject({ invite: text, role: z.enum(roomRoles), until: z.number(), by: text.nullable() })),
});

const limitsSchema = z.strictObject({
  frameBytes: limit,
  framesPerSecond: limit,
  frameBurst: limit,
  cancelsPerSecond: limit,
  cancelBurst: limit,
  sessions: limit,
  unanswered: limit,
  heartbeatMs: limit,
});

const schemas = {
  ...voiceSchemas,
  welcome: z.strictObject({
    type: z.literal('welcome'),
    protocol: z.literal(subprotocol),
    connection: text,
    speaker: text,
    roles: z.array(z.enum(roles)),
    limits: limitsSchema,
    features: z.array(text).exactOptional(),
    sound: soundTermsSchema.exactOptional(),
    now: z.number().exactOptional(),
  }),
  joined: z.strictObject({
    type: z.literal('joined'),
    ref: text,
    session: text,
    kind: sessionKindSchema,
    policy: policySchema,
    seq: count,
    nodes: z.array(nodeSchema),
    blocks: z.array(textPieceSchema),
    questions: z.array(z.discriminatedUnion('type', [approvalRequestedSchema, questionAskedSchema])),
    models: z.array(text).exactOptional(),
    toolTimeouts: z.record(text, count).exactOptional(),
    title: text.exactOptional(),
    voice: voiceRulesSchema.exactOptional(),
    room: roomSchema.exactOptional(),
    tail: tailSchema.exactOptional(),
  }),
  replayed: z.strictObject({ type: z.literal('replayed'), ref: text, session: text }),
  left: z.strictObject({
    type: z.literal('left'),
    ref: text.exactOptional(),
    session: text,
    reason: z.enum(['shutdown', 'store_failed', 'fenced', 'session_failed', 'removed', 'deleted']).exactOptional(),
  }),
  text_delta: textPieceSchema.extend({ type: z.literal('text_delta'), session: text }),
  reasoning_delta: z.strictObject({
    type: z.literal('reasoning_delta'),
    session: text,
    turn: text,
    index: count,
    text,
  }),
  tool_input_delta: z.strictObject({
    type: z.literal('tool_input_delta'),
    session: text,
    turn: text,
    index: count,
    position: count,
    name: text,
    offset: count.exactOptional(),
    text,
  }),
  model_waiting: z.strictObject({
    type: z.literal('model_waiting'),
    session: text,
    turn: text,
    index: count,
    /** The time since the start of the call, or since the last that the model has sent, in milliseconds. */
    elapsedMs: z.number(),
  }),
  tool_output: z.strictObject({
    type: z.literal('tool_output'),
    session: text,
    node: text,
    text,
    /** Characters left out before `text`. */
    skipped: count.exactOptional(),
  }),
  tool_progress: z.strictObject({
    type: z.literal('tool_progress'),
    session: text,
    node: text,
    name: text.exactOptional(),
    /** The time since the call started to run, in milliseconds. */
    elapsedMs: z.number(),
  }),
  tool_waiting: z.strictObject({
    type: z.literal('tool_waiting'),
    session: text,
    node: text,
    waitsFor: awaitedCallSchema,
    /** The time since the call started to wait, in milliseconds. */
    elapsedMs: z.number(),
  }),
  error: z.strictObject({
    type: z.literal('error'),
    ref: text.exactOptional(),
    session: text.exactOptional(),
    code: nameSchema(frameErrorCodes),
    message: text,
    field: text.exactOptional(),
    limit: limit.exactOptional(),
  }),
  say_refused: z.strictObject({
    type: z.literal('say_refused'),
    ref: text.exactOptional(),
    session: text,
    code: text,
    message: text,
  }),
  stop_phrase: z.strictObject({
    type: z.literal('stop_phrase'),
    ref: text.exactOptional(),
    session: text,
    /** The id of the receipt. */
    cancel: text,
    repeated: z.literal(true).exactOptional(),
  }),
  already_settled: z.strictObject({
    type: z.literal('already_settled'),
    ref: text.exactOptional(),
    session: text,
    target: text,
    receipt: cancelSettledSchema.nullable(),
    running: z.array(text).exactOptional(),
  }),
  unknown_target: z.strictObject({
    type: z.literal('unknown_target'),
    ref: text.exactOptional(),
    session: text,
    target: text,
  }),
  speaker: z.strictObject({
    type: z.literal('speaker'),
    ref: text,
    session: text,
    speaker: text,
    present: z.boolean(),
    roles: z.array(z.enum(roomRoles)),
  }),
  presence: z.strictObject({
    type: z.literal('presence'),
    session: text,
    speaker: text,
    present: z.boolean(),
  }),
  invite_link: z.strictObject({
    type: z.literal('invite_link'),
    ref: text,
    session: text,
    invite: text,
    secret: text,
    role: z.enum(roomRoles),
    until: z.number(),
  }),
  call_reported: z.strictObject({
    type: z.literal('call_reported'),
    ref: text.exactOptional(),
    session: text,
    node: text,
  }),
  call_settled: z.strictObject({ type: z.literal('call_settled'), ref: text, session: text, node: text }),
  stop_call: z.strictObject({
    type: z.literal('stop_call'),
    session: text,
    node: text,
    cause: z.strictObject({ source: z.enum(causeSources), by: text.nullable(), reason: text.nullable() }),
    /** Milliseconds until the call is abandoned. */
    budgetMs: limit,
    force: z.boolean(),
  }),
  read: z.strictObject({
    type: z.literal('read'),
    ref: text,
    session: text,
    parts: contentPartsSchema,
    offers: z
      .array(
        z.strictObject({
          server: text,
          resources: z.array(z.strictObject({ uri: text, name: text })),
          prompts: z.array(
            z.strictObject({ name: text, arguments: z.array(z.strictObject({ name: text, required: z.boolean() })) }),
          ),
        }),
      )
      .exactOptional(),
  }),
  forked: z.strictObject({
    type: z.literal('forked'),
    ref: text,
    session: text,
    /** The id of the new session. */
    fork: text,
    /** The id that the turn has there. */
    turn: text,
    from: forkOriginSchema,
    by: text.nullable(),
    repeated: z.literal(true).exactOptional(),
  }),
  /** Follows the fact that closed the question, if there was one. */
  answer_refused: z.strictObject({
    type: z.literal('answer_refused'),
    ref: text,
    session: text,
    target: text,
    code: nameSchema(answerCodes),
    message: text,
  }),
  pong: z.strictObject({ type: z.literal('pong'), ref: text }),
};

type Inferred<T extends keyof typeof schemas> = DeepReadonly<z.infer<(typeof schemas)[T]>>;

export type WelcomeFrame = Inferred<'welcome'>;
/** What a connection and its gateway have agreed on about sound. */
export type SoundTerms = NonNullable<WelcomeFrame['sound']>;
export type JoinedFrame = Inferred<'joined'>;
export type ReplayedFrame = Inferred<'replayed'>;
export type LeftFrame = Inferred<'left'>;
export type TextDeltaFrame = Inferred<'text_delta'>;
export type ReasoningDeltaFrame = Inferred<'reasoning_delta'>;
export type ToolInputDeltaFrame = Inferred<'tool_input_delta'>;
export type ModelWaitingFrame = Inferred<'model_waiting'>;
/** What a model call publishes beside its text. */
export type ModelPreviewFrame = ReasoningDeltaFrame | ToolInputDeltaFrame | ModelWaitingFrame;
export type ToolOutputFrame = Inferred<'tool_output'>;
export type ToolProgressFrame = Inferred<'tool_progress'>;
export type ToolWaitingFrame = Inferred<'tool_waiting'>;
export type ErrorFrame = Inferred<'error'>;
export type SayRefusedFrame = Inferred<'say_refused'>;
export type StopPhraseFrame = Inferred<'stop_phrase'>;
export type AlreadySettledFrame = Inferred<'already_settled'>;
export type UnknownTargetFrame = Inferred<'unknown_target'>;
export type AnswerRefusedFrame = Inferred<'answer_refused'>;
export type SpeakerReplyFrame = Inferred<'speaker'>;
export type PresenceFrame = Inferred<'presence'>;
export type InviteLinkReplyFrame = Inferred<'invite_link'>;
export type CallReportedFrame = Inferred<'call_reported'>;
export type CallSettledFrame = Inferred<'call_settled'>;
export type StopCallFrame = Inferred<'stop_call'>;
export type ReadReplyFrame = Inferred<'read'>;
export type ForkedFrame = Inferred<'forked'>;
export type TranscriptIgnoredFrame = Inferred<'transcript_ignored'>;
export type BargeInReplyFrame = Inferred<'barge_in'>;
export type PlayedReplyFrame = Inferred<'played'>;
export type SpeechStopFrame = Inferred<'speech_stop'>;
export type SpeechResumeFrame = Inferred<'speech_resume'>;
export type SpeechWaitFrame = Inferred<'speech_wait'>;
export type SpeechStartFrame = Inferred<'speech_start'>;
export type StopSoundFrame = Inferred<'stop_sound'>;
export type PongFrame = Inferred<'pong'>;

export type ServerFrame =
  | WelcomeFrame
  | JoinedFrame
  | ReplayedFrame
  | LeftFrame
  | TextDeltaFrame
  | ModelPreviewFrame
  | ToolOutputFrame
  | ToolProgressFrame
  | ToolWaitingFrame
  | ErrorFrame
  | SayRefusedFrame
  | StopPhraseFrame
  | AlreadySettledFrame
  | UnknownTargetFrame
  | AnswerRefusedFrame
  | SpeakerReplyFrame
  | PresenceFrame
  | InviteLinkReplyFrame
  | CallReportedFrame
  | CallSettledFrame
  | StopCallFrame
  | ReadReplyFrame
  | ForkedFrame
  | TranscriptIgnoredFrame
  | BargeInReplyFrame
  | PlayedReplyFrame
  | SpeechStopFrame
  | SpeechResumeFrame
  | SpeechWaitFrame
  | SpeechStartFrame
  | StopSoundFrame
  | PongFrame
  | FactFrame;
export type ServerFrameOf<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>;

/** By type. Strict: a field that docs/protocol.md does not name is an issue. */
export const serverSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>(
  Object.entries({ ...schemas, ...factFrameSchemas }),
);

type Agree<T extends true> = T;
/** Do not compile when a schema differs from the type of the same shape that files without schemas use. */
export type LimitsAgree = Agree<Equal<z.infer<typeof limitsSchema>, FrameLimits>>;
export type TextsAgree = Agree<Equal<z.infer<typeof textPieceSchema>, TextDelta>>;
export type NodesAgree = Agree<Equal<z.infer<typeof nodeSchema>, LiveNode>>;
export type ProblemsAgree = Agree<Equal<Omit<ErrorFrame, 'type' | 'ref' | 'session'>, FrameProblem>>;
