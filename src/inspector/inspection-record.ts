// A record: one thing that an actor did, as plain data without secrets. Declared without XState's types, like runtime-inspector.ts.
//
// The XState stream has six kinds of events; three of them become records, the same three that Stately's inspector accepts. Actions and
// microsteps add nothing to the states and events around them.
import type { VisibleFields } from './visible-fields.ts';

/** The value of a chart as XState has it: the name of a state, or of each parallel or nested one by its parent's. */
export type StateValue = string | { readonly [state: string]: StateValue | undefined };

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

export interface State {
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
