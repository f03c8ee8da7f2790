// Feeds Stately's inspector: converts inspection records to the events of its protocol, by the package `@xstate/inspect`.
import { createInspector, type StatelyInspectionEvent } from '@xstate/inspect';
import type { ActorRefLike, AnyEventObject, AnyStateMachine } from 'xstate';
import { connectionMachine } from '../../machines/connection.ts';
import { sessionMachine } from '../../machines/session.ts';
import { speechMachine } from '../../machines/speech.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { ActorRecord, InspectionRecord, StateRecord } from '../wire/inspection.ts';
import { type PlainChart, plainChart } from './chart-data.ts';

const machines: readonly AnyStateMachine[] = [
  connectionMachine,
  sessionMachine,
  speechMachine,
  turnMachine,
  toolCallMachine,
  subAgentMachine,
];
const charts: ReadonlyMap<string, PlainChart> = new Map(machines.map((machine) => [machine.id, plainChart(machine)]));

/** The methods of the package's inspector that the feed calls. The package does not export their type. */
interface StatelyInspector {
  actor(actor: ActorRefLike, snapshot: VisibleSnapshot): void;
  snapshot(actor: string, snapshot: VisibleSnapshot, info: { readonly event: AnyEventObject }): void;
  event(actor: string, event: AnyEventObject, info: { readonly source?: string }): void;
}

/** A snapshot with every field that XState needs to restore an actor. */
interface VisibleSnapshot extends Pick<StateRecord, 'status' | 'context'> {
  readonly value?: StateRecord['value'];
  readonly children?: object;
  readonly historyValue?: object;
  readonly tags?: readonly string[];
}

export class StatelyFeed {
  readonly #stately: StatelyInspector;
  /** The record that `add` is converting, for `#complete`. */
  #current: InspectionRecord | null = null;

  /** `send` receives each event. It is called synchronously by `add`. */
  constructor(send: (event: StatelyInspectionEvent) => void) {
    this.#stately = createInspector({ send }, { serialize: (event) => this.#complete(event) });
  }

  /** Converts a record and sends the event. */
  add(record: InspectionRecord): void {
    this.#current = record;
    switch (record.type) {
      case 'actor':
        return this.#stately.actor(statelyActor(record), snapshotOf(record));
      case 'node':
        return; // the package has no such event
      case 'state':
        return this.#stately.snapshot(record.actor, snapshotOf(record), { event: { type: record.event } });
      case 'event': {
        const event = { ...record.fields, type: record.event };
        return this.#stately.event(record.actor, event, record.from === null ? {} : { source: record.from });
      }
    }
  }

  /** Sets the time and the root actor of the record: the package sets its own time, and finds the root only of actors in this process. */
  #complete(event: StatelyInspectionEvent): StatelyInspectionEvent {
    const record = this.#current;
    if (!record) return event;
    return {
      ...event,
      ...dropUndefined({ name: record.type === 'actor' ? titleOf(record) : undefined }),
      id: String(record.n),
      rootId: record.root,
      createdAt: String(record.at),
    };
  }
}

/** Returns a name that people recognize: whose it is or which, never a text. */
function titleOf({ name, chart, node, session, context }: ActorRecord): string {
  const { owner, agent, name: offered, speaker } = context;
  const which: Readonly<Record<string, readonly unknown[]>> = {
    session: [session],
    turn: [agent ?? owner],
    'tool-call': [offered, node],
    'sub-agent': [agent ?? node],
    connection: [speaker ?? node],
  };
  const words = [chart ?? name, ...(which[chart ?? ''] ?? [node])];
  return words.filter((word) => typeof word === 'string').join(' ');
}

/** Returns the part of an actor that the package reads. */
function statelyActor({ actor, parent, chart, name }: ActorRecord): ActorRefLike {
  const config = (chart === null ? undefined : charts.get(chart)) ?? { id: name };
  const above = parent === null ? {} : { _parent: { sessionId: parent } };
  return { sessionId: actor, logic: { config }, ...above } as unknown as ActorRefLike; // the rest of the type is not read
}

const snapshotOf = ({ status, value, context }: ActorRecord | StateRecord): VisibleSnapshot =>
  value === null ? { status, context } : { status, context, value, children: {}, historyValue: {}, tags: [] };
