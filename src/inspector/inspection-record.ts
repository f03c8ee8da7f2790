// A record: one thing that an actor did, as plain data that is safe to hand on. Made inside the actor's step, so it is made cheaply.
//
// The XState stream has six kinds of events; three of them become records, the same three that Stately's inspector takes. Actions and
// microsteps say nothing that the states and events around them do not.
import type { AnyActorRef, AnyEventObject, StateValue } from 'xstate';
import { field, idOf, type Showing, type Shown, showContext, showEvent } from './visible-fields.ts';

interface Base {
  /** Counts the records of an inspector, from 1. A gap is what a listener was too slow for. */
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
  readonly context: Shown;
}

/** An actor is there. `parent` joins the trees: a turn hangs below its link, which hangs below the session. */
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

/** An event comes to the actor. */
export interface EventRecord extends Base {
  readonly type: 'event';
  readonly event: string;
  /** The actor that sent it; null: it comes from outside the machines. */
  readonly from: string | null;
  readonly shown: Shown;
}

/** The actor has taken a step. XState tells it after the step's consequences: a parent's state behind its children's. */
export interface StateRecord extends Base, State {
  readonly type: 'state';
  /** The type of the event that it stepped on. */
  readonly event: string;
}

export type InspectionRecord = ActorRecord | EventRecord | StateRecord;

/** What a maker of records leaves to the inspector. */
export type Draft =
  | Omit<ActorRecord, keyof Omit<Base, 'actor'>>
  | Omit<EventRecord, keyof Omit<Base, 'actor'>>
  | Omit<StateRecord, keyof Omit<Base, 'actor'>>;

const statuses = new Set<unknown>(['active', 'done', 'error', 'stopped']);

function stateOf(snapshot: unknown, showing: Showing): State {
  const status = field(snapshot, 'status');
  const isChart = field(snapshot, 'machine') !== undefined;
  return {
    status: statuses.has(status) ? (status as State['status']) : 'active',
    value: isChart ? (field(snapshot, 'value') as StateValue) : null,
    context: isChart ? showContext(field(snapshot, 'context'), showing) : {},
  };
}

/** An actor that has just been made has no snapshot yet, and throws. */
function snapshotOf(actor: AnyActorRef): unknown {
  try {
    return actor.getSnapshot();
  } catch {
    return undefined;
  }
}

export const nodeOf = (actor: AnyActorRef): string | null =>
  actor.src === 'link' ? idOf(actor.id) : idOf(field(field(snapshotOf(actor), 'context'), 'id'));

/** The actors that it has started and still knows. */
export const childrenOf = (actor: AnyActorRef): readonly AnyActorRef[] =>
  Object.values((field(snapshotOf(actor), 'children') ?? {}) as Readonly<Record<string, AnyActorRef>>);

export function actorRecord(actor: AnyActorRef, parent: string | null, showing: Showing): Draft {
  const snapshot = snapshotOf(actor);
  const chart = idOf(field(field(snapshot, 'machine'), 'id'));
  const name = typeof actor.src === 'string' ? actor.src : (chart ?? idOf(actor.id) ?? '');
  const { sessionId } = actor;
  return { type: 'actor', actor: sessionId, parent, name, chart, node: nodeOf(actor), ...stateOf(snapshot, showing) };
}

export function eventRecord(actor: AnyActorRef, event: AnyEventObject, from: string | null, showing: Showing): Draft {
  const shown = showEvent(event, showing, nodeOf(actor));
  return { type: 'event', actor: actor.sessionId, event: idOf(event.type) ?? '', from, shown };
}

export function stateRecord(actor: AnyActorRef, event: string, snapshot: unknown, showing: Showing): Draft {
  return { type: 'state', actor: actor.sessionId, event: idOf(event) ?? '', ...stateOf(snapshot, showing) };
}
