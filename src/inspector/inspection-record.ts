// A record: one thing that an actor did, as plain data without secrets. It is made inside the actor's step, so it must be cheap.
//
// The XState stream has six kinds of events; three of them become records, the same three that Stately's inspector accepts. Actions and
// microsteps add nothing to the states and events around them.
import type { AnyActorRef, AnyEventObject, StateValue } from 'xstate';
import { contextFields, eventFields } from './machine-fields.ts';
import { field, idOf, type Visibility, type VisibleFields } from './visible-fields.ts';

interface Base {
  /** Counts the records of an inspector, from 1. A gap: the listener was too slow. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The session's id. */
  readonly session: string;
  /** The actor of the session's machine, the root of the tree. */
  readonly root: string;
  /** XState's id of the actor, unique in this process. */
  readonly actor: string;
}

interface State {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** Null: not a chart. */
  readonly value: StateValue | null;
  /** The visible fields of the context. */
  readonly context: VisibleFields;
}

/** An actor has started. `parent` joins the trees: a turn hangs below its link, which hangs below the session. */
export interface ActorRecord extends Base, State {
  readonly type: 'actor';
  readonly parent: string | null;
  /** Its name in its parent's chart (`tool`, `model`, `link`, …), or its chart's. */
  readonly name: string;
  /** The chart's id; null: a worker, or the link. */
  readonly chart: string | null;
  /** Its id in the live tree. A link has its turn's; a worker has none. */
  readonly node: string | null;
}

/** The actor receives an event. */
export interface EventRecord extends Base {
  readonly type: 'event';
  readonly event: string;
  /** The actor that sent it; null: it comes from outside the machines. */
  readonly from: string | null;
  /** The visible fields of the event. */
  readonly fields: VisibleFields;
}

/** The actor has taken a step. XState reports it after the step's consequences: a parent's state after its children's. */
export interface StateRecord extends Base, State {
  readonly type: 'state';
  /** The type of the event that it stepped on. */
  readonly event: string;
}

export type InspectionRecord = ActorRecord | EventRecord | StateRecord;

/** A record without the fields that the inspector adds. */
export type Draft =
  | Omit<ActorRecord, keyof Omit<Base, 'actor'>>
  | Omit<EventRecord, keyof Omit<Base, 'actor'>>
  | Omit<StateRecord, keyof Omit<Base, 'actor'>>;

const statuses = ['active', 'done', 'error', 'stopped'] as const;

function stateOf(snapshot: unknown, visibility: Visibility): State {
  const status = field(snapshot, 'status');
  const isChart = field(snapshot, 'machine') !== undefined;
  return {
    status: statuses.find((each) => each === status) ?? 'active',
    value: isChart ? (field(snapshot, 'value') as StateValue) : null, // the snapshot of a chart has its value
    context: isChart ? contextFields(field(snapshot, 'context'), visibility) : {},
  };
}

/** The actor's snapshot; undefined for one that has just been made: XState throws for it. */
function snapshotOf(actor: AnyActorRef): unknown {
  try {
    return actor.getSnapshot();
  } catch {
    return undefined;
  }
}

/** Returns the actor's id in the live tree: a link has that of its turn. Null: it has none. */
export const nodeOf = (actor: AnyActorRef): string | null =>
  actor.src === 'link' ? idOf(actor.id) : idOf(field(field(snapshotOf(actor), 'context'), 'id'));

/** Returns the actors that it has started and still knows. */
export const childrenOf = (actor: AnyActorRef): readonly AnyActorRef[] =>
  // the children in a snapshot are actors by their ids
  Object.values((field(snapshotOf(actor), 'children') ?? {}) as Readonly<Record<string, AnyActorRef>>);

/** Records that an actor has started. */
export function actorRecord(actor: AnyActorRef, parentActor: AnyActorRef | null, visibility: Visibility): Draft {
  const snapshot = snapshotOf(actor);
  const chart = idOf(field(field(snapshot, 'machine'), 'id'));
  const name = typeof actor.src === 'string' ? actor.src : (chart ?? idOf(actor.id) ?? '');
  const { sessionId } = actor;
  const parent = parentActor?.sessionId ?? null;
  return {
    type: 'actor',
    actor: sessionId,
    parent,
    name,
    chart,
    node: nodeOf(actor),
    ...stateOf(snapshot, visibility),
  };
}

/** Records that an actor receives an event; `from` is XState's id of the sender. */
export function eventRecord(
  actor: AnyActorRef,
  event: AnyEventObject,
  from: string | null,
  visibility: Visibility,
): Draft {
  const fields = eventFields(event, visibility, nodeOf(actor));
  return { type: 'event', actor: actor.sessionId, event: idOf(event.type) ?? '', from, fields };
}

/** Records the step of an actor; `event` is the type that it stepped on. */
export function stateRecord(actor: AnyActorRef, event: string, snapshot: unknown, visibility: Visibility): Draft {
  return { type: 'state', actor: actor.sessionId, event: idOf(event) ?? '', ...stateOf(snapshot, visibility) };
}
