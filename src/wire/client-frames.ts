// The frames that clients send, as docs/protocol.md has them: a schema for each, and its type, inferred.
// A client imports types from here, and nothing at run time.

import * as z from 'zod';
import { roomRoles } from '../../machines/vocabulary.ts';
import { anyText, boundedText, frameFields, wordsText } from './frame-fields.ts';
import {
  maxCallInputChars,
  maxCallNameChars,
  maxCallOutputChars,
  maxCallReportChars,
  maxInviteMs,
  maxModelChars,
  maxOfferChars,
  maxOutputTokensAsked,
  maxReasonChars,
  maxReasoningEffortChars,
  maxSays,
  maxServerChars,
  maxTargetChars,
  maxTemperature,
  maxTitleChars,
  maxTokenChars,
  minInviteMs,
} from './frame-limits.ts';
import { saidPartsSchema } from './said-parts.ts';
import { speakerNameSchema, storedSpeakerSchema } from './speaker-name.ts';

const { ref, session, as, share } = frameFields;

export const helloSchema = z.strictObject({
  type: z.literal('HELLO'),
  token: z.string().min(1).max(maxTokenChars).optional(),
  sound: z.strictObject({ send: z.boolean().optional(), receive: z.boolean().optional() }).optional(),
});
/** The secret of an invite link. */
export const inviteSecretSchema = z.string().min(1).max(maxTokenChars);
export const joinSchema = z
  .strictObject({
    type: z.literal('JOIN'),
    ref,
    session,
    after: z.int().min(0).optional(),
    last: z.int().min(1).optional(),
    invite: inviteSecretSchema.optional(),
  })
  // a `last` that is no number of turns has a problem of its own
  .refine(({ after, last = 0 }) => after === undefined || last < 1 || !Number.isSafeInteger(last), {
    path: ['last'],
    message: 'must be left out where `after` is given',
  });
export const turnOptionsSchema = z.strictObject({
  reasoningEffort: z
    .string()
    .min(1)
    .max(maxReasoningEffortChars)
    .regex(/^[a-z0-9_-]*$/, 'must be made of a-z 0-9 _ -')
    .exactOptional(),
  maxOutputTokens: z.int().min(1).max(maxOutputTokensAsked).exactOptional(),
  temperature: z.number().min(0).max(maxTemperature).exactOptional(),
  tools: z.enum(['auto', 'none']).exactOptional(),
  model: boundedText(maxModelChars).exactOptional(),
});
export const saySchema = z.strictObject({
  type: z.literal('SAY'),
  ref: ref.optional(),
  session: session.optional(),
  text: wordsText,
  parts: saidPartsSchema.optional(),
  options: turnOptionsSchema.optional(),
  addressed: share,
  replyToBot: z.boolean().optional(),
  seen: z.int().min(0).optional(),
  as,
});
export const resumeSchema = z.strictObject({
  type: z.literal('RESUME'),
  ref,
  session: session.optional(),
  turn: boundedText(maxTargetChars),
  text: wordsText.optional(),
  as,
});
export const steerSchema = saySchema.extend({
  type: z.literal('STEER'),
  target: boundedText(maxTargetChars).optional(),
});
export const cancelSchema = z.strictObject({
  type: z.literal('CANCEL'),
  ref: ref.optional(),
  session: session.optional(),
  target: boundedText(maxTargetChars),
  reason: boundedText(maxReasonChars, 0).optional(),
  force: z.boolean().optional(),
  seen: z.int().min(0).optional(),
  says: z.array(ref).max(maxSays).optional(),
  as,
});
const answerOf = <const T extends string>(type: T) =>
  z.strictObject({
    type: z.literal(type),
    ref,
    session: session.optional(),
    target: boundedText(maxTargetChars),
    question: boundedText(maxTargetChars).optional(),
    as,
  });
export const approveSchema = answerOf('APPROVE');
export const denySchema = answerOf('DENY');
/** Whether an answer has either a text or values. */
export const isOneAnswer = ({ text, values }: { readonly text?: unknown; readonly values?: unknown }) =>
  (text === undefined) !== (values === undefined);
export const oneAnswerIssue = { path: ['text'], message: 'must be given, or `values` instead' };
export const answerSchema = answerOf('ANSWER')
  .extend({
    text: anyText.min(1).optional(),
    values: z.record(anyText, z.union([anyText, z.number(), z.boolean(), z.array(anyText)])).optional(),
  })
  .refine(isOneAnswer, oneAnswerIssue);
export const inviteSchema = z.strictObject({
  type: z.literal('INVITE'),
  ref,
  session: session.optional(),
  speaker: speakerNameSchema,
  role: z.enum(roomRoles).optional(),
});
export const inviteLinkSchema = z.strictObject({
  type: z.literal('INVITE_LINK'),
  ref,
  session: session.optional(),
  role: z.enum(roomRoles).optional(),
  /** How long it can be used, in milliseconds. */
  ms: z.int().min(minInviteMs).max(maxInviteMs),
});
export const revokeSchema = z.strictObject({
  type: z.literal('REVOKE'),
  ref,
  session: session.optional(),
  invite: boundedText(maxTargetChars),
});
export const removeSchema = z.strictObject({
  type: z.literal('REMOVE'),
  ref,
  session: session.optional(),
  speaker: storedSpeakerSchema,
});
export const delegateSchema = z.strictObject({
  type: z.literal('DELEGATE'),
  ref,
  session: session.optional(),
  speaker: speakerNameSchema,
  target: boundedText(maxTargetChars).optional(),
  until: z.int().min(0).optional(),
  as,
});
export const setTimeoutSchema = z.strictObject({
  type: z.literal('SET_TIMEOUT'),
  ref,
  session: session.optional(),
  tool: boundedText(maxTargetChars),
  /** Milliseconds, in the range of the configuration; null: as it is configured. */
  ms: z.int().nullable(),
});
export const renameSchema = z.strictObject({
  type: z.literal('RENAME'),
  ref,
  session: session.optional(),
  /** The title; null: its first words name it. */
  title: boundedText(maxTitleChars).nullable(),
});
export const speakerSchema = z.strictObject({
  type: z.literal('SPEAKER'),
  ref,
  session: session.optional(),
  as: speakerNameSchema,
  present: z.boolean(),
  roles: z.array(z.enum(roomRoles)).max(roomRoles.length).optional(),
});
/** A recognizer may have nothing to say: the text of a transcript may be blank. */
export const transcriptSchema = z.strictObject({
  type: z.literal('TRANSCRIPT'),
  ref: ref.optional(),
  session: session.optional(),
  as: speakerNameSchema.optional(),
  text: anyText,
  final: z.boolean(),
  confidence: share,
  noSpeech: share,
  addressed: share,
  replyToBot: z.boolean().optional(),
});
export const bargeInSchema = z.strictObject({
  type: z.literal('BARGE_IN'),
  ref: ref.optional(),
  session: session.optional(),
  as: speakerNameSchema.optional(),
  durationMs: z.int().min(0).optional(),
});
export const playedSchema = z
  .strictObject({
    type: z.literal('PLAYED'),
    ref: ref.optional(),
    session: session.optional(),
    turn: boundedText(maxTargetChars),
    index: z.int().min(0),
    offset: z.int().min(0).optional(),
    /** Milliseconds of the sound of the block, in the place of `offset`. */
    ms: z.number().min(0).optional(),
    estimated: z.boolean().optional(),
  })
  .refine(({ offset, ms }) => offset !== undefined || ms !== undefined, {
    path: ['offset'],
    message: 'must be given, or `ms` instead',
  })
  .refine(({ offset, ms }) => offset === undefined || ms === undefined, {
    path: ['ms'],
    message: 'must be left out where `offset` is given',
  });
const isWithinJson = (value: unknown): boolean => {
  try {
    return JSON.stringify(value).length <= maxCallInputChars;
  } catch {
    return false; // nested deeper than it can be written
  }
};
export const openCallSchema = z.strictObject({
  type: z.literal('OPEN_CALL'),
  ref,
  session: session.optional(),
  name: z
    .string()
    .min(1)
    .max(maxCallNameChars)
    .regex(/^[A-Za-z0-9._:-]*$/, 'must be made of A-Z a-z 0-9 . _ : -'),
  input: z
    .record(anyText, z.unknown())
    .refine(isWithinJson, `must have at most ${maxCallInputChars} characters as JSON`)
    .optional(),
  effect: z.enum(['none', 'some']).optional(),
  approval: z.boolean().optional(),
  /** Milliseconds, in the range of the configuration. */
  timeoutMs: z.int().min(0).optional(),
  as,
});
export const reportCallSchema = z.strictObject({
  type: z.literal('REPORT_CALL'),
  ref: ref.optional(),
  session: session.optional(),
  node: boundedText(maxTargetChars),
  text: boundedText(maxCallReportChars),
});
export const settleCallSchema = z.strictObject({
  type: z.literal('SETTLE_CALL'),
  ref,
  session: session.optional(),
  node: boundedText(maxTargetChars),
  outcome: z.enum(['completed', 'failed', 'stopped']),
  output: boundedText(maxCallOutputChars, 0).optional(),
  effect: z.enum(['none', 'unknown', 'done']).optional(),
  message: boundedText(maxReasonChars).optional(),
});
export const readSchema = z
  .strictObject({
    type: z.literal('READ'),
    ref,
    session: session.optional(),
    server: boundedText(maxServerChars).optional(),
    resource: boundedText(maxOfferChars).optional(),
    prompt: boundedText(maxOfferChars).optional(),
    arguments: z.record(boundedText(maxOfferChars), anyText).optional(),
  })
  .refine(({ server, resource, prompt }) => server !== undefined || (resource === undefined && prompt === undefined), {
    path: ['server'],
    message: 'must be given with `resource` and `prompt`',
  })
  .refine(({ resource, prompt }) => resource === undefined || prompt === undefined, {
    path: ['prompt'],
    message: 'must not be given with `resource`',
  });
export const forkSchema = z.strictObject({
  type: z.literal('FORK'),
  ref,
  session: session.optional(),
  turn: boundedText(maxTargetChars),
  to: session.optional(),
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

export type TurnOptions = Readonly<z.infer<typeof turnOptionsSchema>>;
export type HelloFrame = z.infer<typeof helloSchema>;
/** Whether a connection sends sound, and receives it. */
export type AskedSound = NonNullable<HelloFrame['sound']>;
export type JoinFrame = z.infer<typeof joinSchema>;
export type SayFrame = z.infer<typeof saySchema>;
export type ResumeFrame = z.infer<typeof resumeSchema>;
export type SteerFrame = z.infer<typeof steerSchema>;
export type CancelFrame = z.infer<typeof cancelSchema>;
export type ApproveFrame = z.infer<typeof approveSchema>;
export type DenyFrame = z.infer<typeof denySchema>;
export type AnswerFrame = z.infer<typeof answerSchema>;
export type InviteFrame = z.infer<typeof inviteSchema>;
export type InviteLinkFrame = z.infer<typeof inviteLinkSchema>;
export type RevokeFrame = z.infer<typeof revokeSchema>;
export type SetTimeoutFrame = z.infer<typeof setTimeoutSchema>;
export type RenameFrame = z.infer<typeof renameSchema>;
export type RemoveFrame = z.infer<typeof removeSchema>;
export type DelegateFrame = z.infer<typeof delegateSchema>;
export type SpeakerFrame = z.infer<typeof speakerSchema>;
export type TranscriptFrame = z.infer<typeof transcriptSchema>;
export type BargeInFrame = z.infer<typeof bargeInSchema>;
export type PlayedFrame = z.infer<typeof playedSchema>;
/** A command of a bridge about what is said and heard in a voice session. */
export type VoiceFrame = TranscriptFrame | BargeInFrame | PlayedFrame;
export type OpenCallFrame = z.infer<typeof openCallSchema>;
export type ReportCallFrame = z.infer<typeof reportCallSchema>;
export type SettleCallFrame = z.infer<typeof settleCallSchema>;
/** A command of a bridge about a call that it runs itself. */
export type CallFrame = OpenCallFrame | ReportCallFrame | SettleCallFrame;
export type ReadFrame = z.infer<typeof readSchema>;
export type ForkFrame = z.infer<typeof forkSchema>;
export type LeaveFrame = z.infer<typeof leaveSchema>;
export type PingFrame = z.infer<typeof pingSchema>;
/** An answer to an approval or a question. */
export type AnsweringFrame = ApproveFrame | DenyFrame | AnswerFrame;
/** A command for a session that the connection has joined. */
export type SessionFrame =
  | SayFrame
  | ResumeFrame
  | SteerFrame
  | CancelFrame
  | AnsweringFrame
  | InviteFrame
  | InviteLinkFrame
  | RevokeFrame
  | SetTimeoutFrame
  | RenameFrame
  | RemoveFrame
  | DelegateFrame
  | SpeakerFrame
  | VoiceFrame
  | CallFrame
  | ReadFrame
  | ForkFrame
  | LeaveFrame;
export type CommandFrame = JoinFrame | SessionFrame | PingFrame;
export type ClientFrame = HelloFrame | CommandFrame;

/** By type. A map, not an object: the type is untrusted, and an object would find `constructor`. */
export const clientSchemas: ReadonlyMap<string, z.ZodType<ClientFrame>> = new Map<string, z.ZodType<ClientFrame>>([
  ['HELLO', helloSchema],
  ['JOIN', joinSchema],
  ['SAY', saySchema],
  ['RESUME', resumeSchema],
  ['STEER', steerSchema],
  ['CANCEL', cancelSchema],
  ['APPROVE', approveSchema],
  ['DENY', denySchema],
  ['ANSWER', answerSchema],
  ['INVITE', inviteSchema],
  ['INVITE_LINK', inviteLinkSchema],
  ['REVOKE', revokeSchema],
  ['REMOVE', removeSchema],
  ['DELEGATE', delegateSchema],
  ['SET_TIMEOUT', setTimeoutSchema],
  ['RENAME', renameSchema],
  ['SPEAKER', speakerSchema],
  ['TRANSCRIPT', transcriptSchema],
  ['BARGE_IN', bargeInSchema],
  ['PLAYED', playedSchema],
  ['OPEN_CALL', openCallSchema],
  ['REPORT_CALL', reportCallSchema],
  ['SETTLE_CALL', settleCallSchema],
  ['READ', readSchema],
  ['FORK', forkSchema],
  ['LEAVE', leaveSchema],
  ['PING', pingSchema],
]);
