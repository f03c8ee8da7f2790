// The records of the inspector, and the events of the stream that carries them: a type and a schema for each. docs/http.md says the same.
//
// A record is one thing that an actor or a node did, as plain data without secrets. The XState stream has six kinds of events; three of them
// become records, the same three that Stately's inspector accepts. Actions and microsteps add nothing to the states and events around them.
import * as z from 'zod';
import { effects, nodeKinds, outcomeKinds } from '../../machines/vocabulary.ts';

/** The value of a chart as XState has it: the name of a state, or of each parallel or nested one by its parent's. */
export type StateValue = string | { readonly [state: string]: StateValue | undefined };

const stateValueSchema: z.ZodType<StateValue> = z.lazy(() =>
  z.union([z.string(), z.record(z.string(), stateValueSchema.optional())]),
);

const text = z.string();
const count = z.int().min(0);

/** Names of lengths end in `Chars`, in UTF-16 code units; `…More`: how many ids of a list were left out. */
const visibleFieldsSchema = z.record(text, z.union([text, z.number(), z.boolean(), z.array(text).readonly()]));

const base = {
  /** Counts the records of an inspector, from 1. */
  n: count,
  /** Milliseconds since 1970. */
  at: z.number(),
  /** The session's id; empty: a connection of the gateway that has joined no session. */
  session: text,
  /** The actor at the root of the tree: that of the session's machine, or of the connection's. */
  root: text,
};
/** XState's id of the actor, unique in its process. */
const actor = { actor: text };

const state = {
  status: z.enum(['active', 'done', 'error', 'stopped']),
  /** The value of the chart; null: it is not a chart. */
  value: stateValueSchema.nullable(),
  /** The visible fields of the context. */
  context: visibleFieldsSchema,
};

/** An actor has started. `parent` joins the trees: a turn hangs below its link, which hangs below the session. */
export const actorRecordSchema = z.strictObject({
  type: z.literal('actor'),
  ...base,
  ...actor,
  ...state,
  parent: text.nullable(),
  /** Its name in its parent's chart (`tool`, `model`, `link`, …), or its chart's. */
  name: text,
  /** The chart's id; null: a worker, or the link. */
  chart: text.nullable(),
  /** Its id in the live tree. A link has its turn's; a worker has none. */
  node: text.nullable(),
});

/** The actor receives an event. */
export const eventRecordSchema = z.strictObject({
  type: z.literal('event'),
  ...base,
  ...actor,
  event: text,
  /** The actor that sent it; null: it comes from outside the machines. */
  from: text.nullable(),
  /** The visible fields of the event. */
  fields: visibleFieldsSchema,
});

/** The actor has taken a step. XState reports it after the step's consequences: a parent's state after its children's. */
export const stateRecordSchema = z.strictObject({
  type: z.literal('state'),
  ...base,
  ...actor,
  ...state,
  /** The type of the event that it stepped on. */
  event: text,
});

/**
 * A node of the live tree on the way of a CANCEL. `planned`: the plan has a verdict for it. `cut`: it was marked, before any signal aborted.
 * `aborted`: its signal has aborted; under a shield that is later. `settled`: its outcome is final.
 */
export const nodeRecordSchema = z.strictObject({
  type: z.literal('node'),
  ...base,
  /** The actor of the node; null: it has none (words that wait for a model call), or none yet. */
  actor: text.nullable(),
  node: text,
  step: z.enum(['planned', 'cut', 'aborted', 'settled']),
  /** The CANCEL that planned it, or that stopped it; null: none did. */
  cancel: text.nullable(),
  /** The verdict of a `planned` node. `pending`: it is stopped when its shield ends. `detached`: the CANCEL does not reach it. */
  verdict: z.enum(['stop', 'pending', 'refused', 'detached']).exactOptional(),
  /** The code of the refusal of a node. */
  reason: text.exactOptional(),
  kind: z.enum(nodeKinds).exactOptional(),
  /** The name of an offered tool or agent. */
  name: text.exactOptional(),
  /** The node above it. */
  parent: text.exactOptional(),
  /** The speaker who has caused the node. */
  owner: text.exactOptional(),
  /** How long it may take to stop, in milliseconds; null: it has no budget of its own. */
  budgetMs: z.number().nullable().exactOptional(),
  /** The outcome of a `settled` node. */
  outcome: z.enum(outcomeKinds).exactOptional(),
  effect: z.enum(effects).exactOptional(),
});

export const inspectionRecordSchema = z.discriminatedUnion('type', [
  actorRecordSchema,
  eventRecordSchema,
  stateRecordSchema,
  nodeRecordSchema,
]);

/** The first event of a stream. */
export const inspectionStartSchema = z.strictObject({
  /** Names the inspector: another one than before counts its records from 1 again, and its actors are others. */
  inspector: text,
  /** How many records are kept for readers that come late or are slow. */
  keep: count,
  /** The first and the last record of those that were kept; none were if `from` is above `to`. */
  from: count,
  to: count,
  /** The time of the host, in milliseconds since 1970. */
  at: z.number(),
});

/** The first and the last record that a slow reader has missed. */
export const inspectionGapSchema = z.strictObject({ from: count, to: count });

export type VisibleFields = Readonly<z.infer<typeof visibleFieldsSchema>>;
export type ActorRecord = Readonly<z.infer<typeof actorRecordSchema>>;
export type EventRecord = Readonly<z.infer<typeof eventRecordSchema>>;
export type StateRecord = Readonly<z.infer<typeof stateRecordSchema>>;
export type NodeRecord = Readonly<z.infer<typeof nodeRecordSchema>>;
export type InspectionRecord = ActorRecord | EventRecord | StateRecord | NodeRecord;
export type InspectionStart = Readonly<z.infer<typeof inspectionStartSchema>>;
export type InspectionGap = Readonly<z.infer<typeof inspectionGapSchema>>;

/**
 * An event of the stream, in this order: `start`, the records that were kept, `alive` for each actor that is alive, then each record as it comes.
 * After a `gap`, `alive` follows again.
 */
export type InspectionEvent =
  | { readonly type: 'start'; readonly data: InspectionStart }
  | { readonly type: 'record'; readonly data: InspectionRecord }
  | { readonly type: 'alive'; readonly data: ActorRecord }
  | { readonly type: 'gap'; readonly data: InspectionGap };
