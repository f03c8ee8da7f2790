// Records in the words of Stately's inspector: the event protocol of `@xstate/inspect`, made by that package.
import { createInspector, type StatelyInspectionEvent } from '@xstate/inspect';
import type { AnyStateMachine } from 'xstate';
import { sessionMachine } from '../../machines/session.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { type PlainChart, plainChart } from './chart-data.ts';
import type { ActorRecord, InspectionRecord, StateRecord } from './inspection-record.ts';
import type { InspectionListener } from './inspector.ts';

const machines: readonly AnyStateMachine[] = [sessionMachine, turnMachine, toolCallMachine, subAgentMachine];
const charts: ReadonlyMap<string, PlainChart> = new Map(machines.map((machine) => [machine.id, plainChart(machine)]));

/** Hears records, and sends each as the event that Stately's inspector takes. */
export function createStatelyFeed(send: (event: StatelyInspectionEvent) => void): InspectionListener {
  let told: InspectionRecord;
  // the package dates events by itself, and knows the root only of actors that it has at hand
  const serialize = (event: StatelyInspectionEvent): StatelyInspectionEvent => ({
    ...event,
    ...(told.type === 'actor' && { name: titleOf(told) }),
    id: String(told.n),
    rootId: told.root,
    createdAt: String(told.at),
  });
  const stately = createInspector({ send }, { serialize });
  return (record) => {
    told = record;
    if (record.type === 'actor') stately.actor(refOf(record), snapshotOf(record));
    else if (record.type === 'state')
      stately.snapshot(record.actor, snapshotOf(record), { event: { type: record.event } });
    else {
      const event = { ...record.shown, type: record.event };
      stately.event(record.actor, event, record.from === null ? {} : { source: record.from });
    }
  };
}

const titleOf = ({ name, node, context }: ActorRecord): string =>
  [name, context['name'] ?? context['agent'], node].filter((part) => typeof part === 'string').join(' ');

type Ref = Exclude<Parameters<ReturnType<typeof createInspector>['actor']>[0], string>;

/** As much of an actor as the package looks at. */
function refOf({ actor, parent, chart, name }: ActorRecord): Ref {
  const config = (chart === null ? undefined : charts.get(chart)) ?? { id: name };
  const above = parent === null ? {} : { _parent: { sessionId: parent } };
  return { sessionId: actor, logic: { config }, ...above } as unknown as Ref;
}

/** Whole enough for XState to make an actor of it. */
const snapshotOf = ({ status, value, context }: ActorRecord | StateRecord) => ({
  status,
  context,
  ...(value !== null && { value, children: {}, historyValue: {}, tags: [] }),
});
