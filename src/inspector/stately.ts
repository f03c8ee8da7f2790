// The feed for Stately's inspector: records as events of the protocol of `@xstate/inspect`, which that package makes.

import { createInspector, type StatelyInspectionEvent } from '@xstate/inspect';
import type { ActorRefLike, AnyEventObject, AnyStateMachine } from 'xstate';
import { sessionMachine } from '../../machines/session.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { dropUndefined } from '../collections/drop-undefined.ts';
import { type PlainChart, plainChart } from './chart-data.ts';
import type { ActorRecord, InspectionRecord, StateRecord } from './inspection-record.ts';

const machines: readonly AnyStateMachine[] = [sessionMachine, turnMachine, toolCallMachine, subAgentMachine];
const charts: ReadonlyMap<string, PlainChart> = new Map(machines.map((machine) => [machine.id, plainChart(machine)]));

/** The package's inspector, as far as the feed calls it: the package does not export its type. */
interface StatelyInspector {
  actor(actor: ActorRefLike, snapshot: VisibleSnapshot): void;
  snapshot(actor: string, snapshot: VisibleSnapshot, info: { readonly event: AnyEventObject }): void;
  event(actor: string, event: AnyEventObject, info: { readonly source?: string }): void;
}

/** A snapshot, whole enough for XState to make an actor of it. */
interface VisibleSnapshot extends Pick<StateRecord, 'status' | 'context'> {
  readonly value?: StateRecord['value'];
  readonly children?: object;
  readonly historyValue?: object;
  readonly tags?: readonly string[];
}

export class StatelyFeed {
  readonly #stately: StatelyInspector;
  /** The record that is being made an event of. */
  #current: InspectionRecord | null = null;

  /** `send` takes each event, in the step of `add`. */
  constructor(send: (event: StatelyInspectionEvent) => void) {
    this.#stately = createInspector({ send }, { serialize: (event) => this.#complete(event) });
  }

  /** Sends a record as the event that Stately's inspector accepts. */
  add(record: InspectionRecord): void {
    this.#current = record;
    switch (record.type) {
      case 'actor':
        return this.#stately.actor(statelyActor(record), snapshotOf(record));
      case 'state':
        return this.#stately.snapshot(record.actor, snapshotOf(record), { event: { type: record.event } });
      case 'event': {
        const event = { ...record.fields, type: record.event };
        return this.#stately.event(record.actor, event, record.from === null ? {} : { source: record.from });
      }
    }
  }

  /** The package dates events by itself, and knows the root only of actors that it has at hand: the record knows both. */
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

const titleOf = ({ name, node, context }: ActorRecord): string =>
  [name, context['name'] ?? context['agent'], node].filter((part) => typeof part === 'string').join(' ');

/** As much of an actor as the package reads. */
function statelyActor({ actor, parent, chart, name }: ActorRecord): ActorRefLike {
  const config = (chart === null ? undefined : charts.get(chart)) ?? { id: name };
  const above = parent === null ? {} : { _parent: { sessionId: parent } };
  return { sessionId: actor, logic: { config }, ...above } as unknown as ActorRefLike; // it reads no more of it
}

const snapshotOf = ({ status, value, context }: ActorRecord | StateRecord): VisibleSnapshot =>
  value === null ? { status, context } : { status, context, value, children: {}, historyValue: {}, tags: [] };
