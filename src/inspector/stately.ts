// The feed for Stately's inspector: records as events of the protocol of `@xstate/inspect`, which that package makes.
import { createInspector, type StatelyInspectionEvent } from '@xstate/inspect';
import type { AnyStateMachine } from 'xstate';
import { sessionMachine } from '../../machines/session.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { type PlainChart, plainChart } from './chart-data.ts';
import type { ActorRecord, InspectionRecord, StateRecord } from './inspection-record.ts';

const machines: readonly AnyStateMachine[] = [sessionMachine, turnMachine, toolCallMachine, subAgentMachine];
const charts: ReadonlyMap<string, PlainChart> = new Map(machines.map((machine) => [machine.id, plainChart(machine)]));

type Stately = ReturnType<typeof createInspector>;
type StatelyActor = Exclude<Parameters<Stately['actor']>[0], string>;

export class StatelyFeed {
  readonly #stately: Stately;
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
      ...(record.type === 'actor' && { name: titleOf(record) }),
      id: String(record.n),
      rootId: record.root,
      createdAt: String(record.at),
    };
  }
}

const titleOf = ({ name, node, context }: ActorRecord): string =>
  [name, context['name'] ?? context['agent'], node].filter((part) => typeof part === 'string').join(' ');

/** As much of an actor as the package reads. */
function statelyActor({ actor, parent, chart, name }: ActorRecord): StatelyActor {
  const config = (chart === null ? undefined : charts.get(chart)) ?? { id: name };
  const above = parent === null ? {} : { _parent: { sessionId: parent } };
  return { sessionId: actor, logic: { config }, ...above } as unknown as StatelyActor; // it reads no more of it
}

/** Whole enough for XState to make an actor of it. */
const snapshotOf = ({ status, value, context }: ActorRecord | StateRecord) => ({
  status,
  context,
  ...(value !== null && { value, children: {}, historyValue: {}, tags: [] }),
});
