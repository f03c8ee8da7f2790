// The frames of facts: a schema for each fact that is sent, and its type, which follows from the fact's own in machines/facts.ts.
import * as z from 'zod';
import { mediaKinds } from '../../machines/content.ts';
import type { Fact, FactOf, FactType } from '../../machines/facts.ts';
import {
  causeSources,
  effects,
  finishes,
  inputFates,
  nodeKinds,
  outcomeKinds,
  policies,
  resumePhraseRules,
  roomRoles,
  type StopDetails,
  sessionKinds,
  stopDetails,
  wordsCommands,
} from '../../machines/vocabulary.ts';
import { namesOf } from '../core/collections/fields.ts';
import type { Equal } from './deep-readonly.ts';
import { speechCutShape, speechEndedShape, speechStartedShape, spokenSchema } from './voice-frames.ts';
import type { WithheldFact } from './withheld-facts.ts';

export type SentFact = Exclude<Fact, { type: WithheldFact }>;

/** Fields of a frame that its fact does not have. */
interface FrameExtras {
  readonly member_invited: { readonly repeated?: true };
  readonly member_removed: { readonly repeated?: true };
  readonly invite_revoked: { readonly repeated?: true };
  readonly stop_delegated: { readonly repeated?: true };
  readonly tool_timeout_set: { readonly repeated?: true };
  readonly session_renamed: { readonly repeated?: true };
  readonly turn_opened: { readonly repeated?: true };
  readonly input_deferred: { readonly repeated?: true };
  readonly cancel_accepted: { readonly durable?: false; readonly repeated?: true };
  readonly cancel_settled: { readonly repeated?: true };
  readonly late_result: { readonly omitted?: number };
  readonly abandoned_ended: { readonly omitted?: number };
}
type ExtrasOf<T extends FactType> = T extends keyof FrameExtras ? FrameExtras[T] : unknown;
type FrameOfFact<F extends Fact> = F extends Fact
  ? F & { readonly session: string; readonly seq?: number; readonly at?: number } & ExtrasOf<F['type']>
  : never;

/** A fact on the wire. It lacks `seq` and `at` with `durable: false` or `repeated: true`, and as a reply to a CANCEL in a session that was not joined. */
export type FactFrame = FrameOfFact<SentFact>;

// -- schemas that several frames share

const text = z.string();
const optionalText = z.string().exactOptional();
const count = z.int().min(0);
const optionalCount = count.exactOptional();
const optionalNumber = z.number().exactOptional();
const outcome = z.enum(outcomeKinds);
const effect = z.enum(effects);
type StopShape = { readonly [D in keyof StopDetails]-?: z.ZodExactOptional<z.ZodType<NonNullable<StopDetails[D]>>> };
const stopSchemas = { boolean: z.boolean().exactOptional(), number: optionalNumber };
const stopFields = namesOf(stopDetails).map((name) => [name, stopSchemas[stopDetails[name]]] as const);
/** The fields of an end that a receipt has, too: the details of a stop have the types of their table. */
const endFields = { outcome, effect, code: optionalText, ...(Object.fromEntries<unknown>(stopFields) as StopShape) };
const source = z.enum(causeSources);
const nullableText = text.nullable();
const expiresAt = z.number().nullable();
const nodes = z.array(text);
const queue = z.array(z.strictObject({ input: text, fate: z.enum(inputFates).exclude(['consumed']) })).exactOptional();
const refused = z.array(z.strictObject({ node: text, reason: text }));
const command = z.enum(wordsCommands).exactOptional();
const repeated = z.literal(true).exactOptional();
export const usageSchema = z.strictObject({
  kind: z.enum(['exact', 'estimated', 'unknown']),
  input: z.number().nullable(),
  output: z.number().nullable(),
  cachedInput: optionalNumber,
  cacheWrite: optionalNumber,
  reasoning: optionalNumber,
  cost: optionalNumber,
});
const finish = z.enum(finishes).exactOptional();
export const contentPartsSchema = z
  .array(
    z.union([
      z.strictObject({ type: z.literal('text'), text }),
      z.strictObject({
        type: z.enum(mediaKinds),
        blob: text,
        mediaType: text,
        bytes: count,
        name: optionalText,
      }),
    ]),
  )
  .exactOptional();

const turnOptions = z
  .strictObject({
    reasoningEffort: optionalText,
    maxOutputTokens: optionalCount,
    temperature: optionalNumber,
    tools: z.enum(['auto', 'none']).exactOptional(),
    model: optionalText,
  })
  .exactOptional();

export const policySchema = z.enum(policies);
export const sessionKindSchema = z.enum(sessionKinds);
export const nodeKindSchema = z.enum(nodeKinds);

export const forkOriginSchema = z.strictObject({ session: text, turn: text, seq: count, copied: count });

export const approvalRequestedSchema = z.strictObject({
  type: z.literal('approval_requested'),
  turn: text,
  node: text,
  question: optionalText,
  to: text,
  text,
  whole: optionalText,
  name: optionalText,
  arguments: optionalText,
  remark: optionalText,
  expiresAt,
});
export const questionAskedSchema = z.strictObject({
  type: z.literal('question_asked'),
  turn: text,
  node: text,
  question: optionalText,
  to: text,
  text,
  choices: z.array(text),
  schema: z.record(z.string(), z.unknown()).exactOptional(),
  expiresAt,
});
export const cancelSettledSchema = z.strictObject({
  type: z.literal('cancel_settled'),
  cancel: text,
  ref: nullableText,
  cause: z.strictObject({ source, by: nullableText, reason: nullableText, target: text, door: optionalText }),
  nodes: z.array(
    z.strictObject({
      node: text,
      kind: nodeKindSchema,
      ...endFields,
      ms: z.number(),
      times: z.array(z.number().nullable()).exactOptional(),
    }),
  ),
});

// -- frames

const factFields = { session: text, seq: z.int().min(1).exactOptional(), at: z.number().exactOptional() };

/** The fields of the signs that a stop was understood: the first words of an acknowledgement, a reaction, a sound. */
const signFields = { cancel: text, to: text, ms: z.number() };

const factFrame = <const T extends FactType, const Shape extends z.ZodRawShape>(type: T, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...factFields, ...shape });

/** The schemas of the frames, by type. Each has the fields of its fact, and those of `FrameExtras`. */
export const factFrameSchemas = {
  session_opened: factFrame('session_opened', {
    kind: sessionKindSchema,
    policy: policySchema,
    by: nullableText.exactOptional(),
    forked: forkOriginSchema.exactOptional(),
    resumePhrases: z.enum(resumePhraseRules).exactOptional(),
  }),
  imported: factFrame('imported', {
    by: text,
    door: optionalText,
    messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), text, parts: contentPartsSchema })),
  }),
  member_removed: factFrame('member_removed', { speaker: text, by: nullableText, ref: nullableText, repeated }),
  member_invited: factFrame('member_invited', {
    speaker: text,
    by: nullableText,
    ref: nullableText,
    role: z.enum(roomRoles).exactOptional(),
    invite: optionalText,
    repeated,
  }),
  invite_created: factFrame('invite_created', {
    invite: text,
    role: z.enum(roomRoles),
    until: z.number(),
    by: nullableText,
    ref: nullableText,
  }),
  invite_revoked: factFrame('invite_revoked', { invite: text, by: nullableText, ref: nullableText, repeated }),
  stop_delegated: factFrame('stop_delegated', {
    by: text,
    to: text,
    target: text,
    until: z.number().nullable(),
    ref: nullableText,
    via: optionalText,
    repeated,
  }),
  tool_timeout_set: factFrame('tool_timeout_set', {
    tool: text,
    ms: z.number().nullable(),
    by: nullableText,
    ref: nullableText,
    repeated,
  }),
  session_renamed: factFrame('session_renamed', {
    title: nullableText,
    by: nullableText,
    ref: nullableText,
    repeated,
  }),
  turn_opened: factFrame('turn_opened', {
    turn: text,
    kind: z.enum(['say', 'agent', 'acknowledgement', 'call']),
    owner: text,
    lane: text,
    text,
    parts: contentPartsSchema,
    options: turnOptions,
    resumes: optionalText,
    ref: nullableText,
    command,
    via: optionalText,
    spoken: spokenSchema,
    from: optionalText,
    agent: optionalText,
    cancel: optionalText,
    call: optionalText,
    repeated,
  }),
  input_deferred: factFrame('input_deferred', {
    input: text,
    turn: text,
    owner: text,
    text,
    parts: contentPartsSchema,
    options: turnOptions,
    ref: nullableText,
    command,
    via: optionalText,
    spoken: spokenSchema,
    repeated,
  }),
  input_settled: factFrame('input_settled', {
    input: text,
    turn: text,
    owner: text,
    fate: z.enum(inputFates),
    index: optionalCount,
    code: optionalText,
  }),
  turn_started: factFrame('turn_started', {
    turn: text,
    owner: text,
    parent: nullableText,
    text: optionalText,
    agent: optionalText,
  }),
  model_started: factFrame('model_started', { turn: text, index: count, model: optionalText }),
  model_ended: factFrame('model_ended', {
    turn: text,
    index: count,
    outcome: z.enum(['completed', 'cancelled', 'failed', 'abandoned']),
    code: optionalText,
    message: optionalText,
    text,
    cutOff: z.boolean(),
    owner: optionalText,
    finish,
    usage: usageSchema,
    lostAfter: optionalCount,
  }),
  tool_call: factFrame('tool_call', {
    turn: text,
    node: text,
    kind: z.enum(['tool-call', 'sub-agent']),
    callId: text,
    name: text,
    arguments: text,
    owner: text,
    index: count,
    ranBy: z.literal('provider').exactOptional(),
  }),
  tool_started: factFrame('tool_started', { turn: text, node: text }),
  tool_changed: factFrame('tool_changed', { turn: text, node: text, arguments: text }),
  approval_requested: approvalRequestedSchema.extend(factFields),
  approval_closed: factFrame('approval_closed', {
    node: text,
    question: optionalText,
    answer: z.enum(['approved', 'denied', 'withdrawn', 'expired']),
    code: optionalText,
    by: nullableText,
    ref: nullableText,
    via: optionalText,
  }),
  question_asked: questionAskedSchema.extend(factFields),
  question_closed: factFrame('question_closed', {
    node: text,
    question: optionalText,
    answer: z.enum(['answered', 'withdrawn', 'expired']),
    text: nullableText,
    by: nullableText,
    ref: nullableText,
    via: optionalText,
  }),
  tool_timeout: factFrame('tool_timeout', { node: text, name: optionalText, ms: z.number() }),
  history_compacted: factFrame('history_compacted', {
    turn: text,
    upTo: text,
    covers: nodes,
    owner: optionalText,
    summary: text,
    model: optionalText,
    usage: usageSchema,
  }),
  tool_result: factFrame('tool_result', {
    turn: text,
    node: text,
    ...endFields,
    message: optionalText,
    output: optionalText,
    parts: contentPartsSchema,
    omitted: optionalCount,
    ms: z.number().exactOptional(),
    usage: usageSchema.exactOptional(),
  }),
  late_result: factFrame('late_result', {
    node: text,
    ...endFields,
    output: optionalText,
    omitted: optionalCount,
  }),
  abandoned_ended: factFrame('abandoned_ended', { node: text, output: optionalText, omitted: optionalCount }),
  turn_ended: factFrame('turn_ended', {
    turn: text,
    outcome,
    effect,
    code: optionalText,
    message: optionalText,
    finish,
    usage: usageSchema,
    ms: z.number().exactOptional(),
  }),
  cancel_accepted: factFrame('cancel_accepted', {
    cancel: text,
    ref: nullableText,
    command,
    source,
    by: nullableText,
    via: optionalText,
    door: optionalText,
    reason: nullableText,
    target: text,
    force: z.boolean(),
    stopping: nodes,
    pending: nodes,
    pendingMs: z.number().exactOptional(),
    refused,
    detached: nodes,
    running: nodes.exactOptional(),
    queue,
    durable: z.literal(false).exactOptional(),
    repeated,
  }),
  cancel_refused: factFrame('cancel_refused', {
    ref: nullableText,
    source,
    by: nullableText,
    via: optionalText,
    target: text,
    refused,
    words: optionalText,
  }),
  cancel_settled: cancelSettledSchema.extend({ ...factFields, repeated }),
  acknowledged: factFrame('acknowledged', { ...signFields, turn: text }),
  reaction: factFrame('reaction', { ...signFields, emoji: text }),
  earcon: factFrame('earcon', { ...signFields, sound: z.literal('stopped') }),
  speech_queued: factFrame('speech_queued', speechStartedShape),
  speech_started: factFrame('speech_started', speechStartedShape),
  speech_ended: factFrame('speech_ended', speechEndedShape),
  speech_cut: factFrame('speech_cut', speechCutShape),
  session_recovered: factFrame('session_recovered', { turns: nodes }),
} satisfies Record<SentFact['type'], z.ZodType>;

type Schemas = typeof factFrameSchemas;
type Agreement = { [T in keyof Schemas]: Equal<z.infer<Schemas[T]>, FrameOfFact<FactOf<T>>> };
type AllAgree<T extends Record<keyof Schemas, true>> = T;
/** Does not compile when a schema and the type of its fact differ: the error names the fact. */
export type SchemasAgreeWithFacts = AllAgree<Agreement>;
