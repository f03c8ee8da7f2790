// Makes the records of actors, events and states. They are made inside an actor's step, so they must be cheap.
import type { AnyActorRef, AnyEventObject } from 'xstate';
import type { StateValue } from '../wire/inspection.ts';
import { contextFields, eventFields } from './machine-fields.ts';
import type { ActorDraft, RecordDraft, State, StateDraft } from './record-draft.ts';
import { field, idOf, type Visibility } from './visible-fields.ts';

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
export function snapshotOf(actor: AnyActorRef): unknown {
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
export function actorRecord(actor: AnyActorRef, parentActor: AnyActorRef | null, visibility: Visibility): ActorDraft {
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
): RecordDraft {
  const fields = eventFields(event, visibility, nodeOf(actor));
  return { type: 'event', actor: actor.sessionId, event: idOf(event.type) ?? '', from, fields };
}

/** Records the step of an actor; `event` is the type that it stepped on. */
export function stateRecord(actor: AnyActorRef, event: string, snapshot: unknown, visibility: Visibility): StateDraft {
  return { type: 'state', actor: actor.sessionId, event: idOf(event) ?? '', ...stateOf(snapshot, visibility) };
}
