// Records as events of Stately's inspector: compared with those that `@xstate/inspect` itself makes of the same actors, and with XState.
import {
  createBrowserReceiver,
  createInspector as createStatelyInspector,
  type StatelyInspectionEvent,
} from '@xstate/inspect';
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, type AnyStateNode, createActor, createMachine } from 'xstate';
import { connectionMachine } from '../../machines/connection.ts';
import { sessionMachine } from '../../machines/session.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { plainChart } from '../../src/inspector/chart-data.ts';
import { StatelyFeed } from '../../src/inspector/stately-feed.ts';
import { callsResponse, textResponse } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { startObservedHarness } from './observed.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.' } };
const respond = (_: unknown, n: number) =>
  n === 0
    ? callsResponse(['wait', { ms: 9_000 }], ['spawn_agent', { task: 'x' }])
    : n === 1
      ? callsResponse(['wait', { ms: 9_001 }])
      : textResponse('done');

async function cancelledTurn() {
  const harness = await startObservedHarness({ agents, respond });
  const events: StatelyInspectionEvent[] = [];
  const feed = new StatelyFeed((event) => events.push(JSON.parse(JSON.stringify(event))));
  harness.inspector.listen((record) => feed.add(record));
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(5_000);
  return { harness, turn, events };
}

const of = <Type extends StatelyInspectionEvent['type']>(events: readonly StatelyInspectionEvent[], type: Type) =>
  events.filter((event): event is Extract<StatelyInspectionEvent, { type: Type }> => event.type === type);

describe('the events are those of the package', () => {
  test('each has the fields, of the same types, that the package itself gives', async () => {
    const own: StatelyInspectionEvent[] = [];
    const { inspect } = createStatelyInspector({ send: (event) => own.push(event) });
    const actor = createActor(createMachine({ id: 'm', initial: 'a', states: { a: { on: { GO: 'b' } }, b: {} } }), {
      inspect,
    });
    actor.start();
    actor.send({ type: 'GO' });
    await until(() => own.some((event) => event.type === '@xstate.snapshot' && event.event.type === 'GO'));
    const { events } = await cancelledTurn();
    const shapeOf = (event: object) =>
      Object.fromEntries(Object.entries(event).map(([name, value]) => [name, typeof value]));
    for (const type of ['@xstate.actor', '@xstate.event', '@xstate.snapshot'] as const) {
      const expected = shapeOf(of(own, type)[0] ?? {});
      for (const event of of(events, type)) {
        const { id, parentId, sourceId, ...rest } = shapeOf(event);
        const { id: _, parentId: __, sourceId: ___, ...packages } = expected;
        expect(rest).toEqual(packages);
        expect([id, parentId ?? 'string', sourceId ?? 'string']).toEqual(['string', 'string', 'string']);
        expect(event._version).toBe(own[0]?._version);
      }
    }
  });

  test("the package's receiver in a page accepts every one of them", async () => {
    const { events } = await cancelledTurn();
    const page = new EventTarget() as EventTarget & { self: unknown; top: unknown; opener: unknown };
    Object.assign(page, { self: page, top: page, opener: null });
    const received: StatelyInspectionEvent[] = [];
    createBrowserReceiver({ window: page as never }).subscribe((event) => received.push(event));
    for (const data of events) page.dispatchEvent(Object.assign(new Event('message'), { data }));
    expect(received).toEqual(events);
  });
});

describe('the events match the records', () => {
  test('there is one root, and every actor comes after its parent', async () => {
    const { events } = await cancelledTurn();
    const actors = of(events, '@xstate.actor');
    expect(new Set(events.map(({ rootId }) => rootId))).toEqual(new Set([actors[0]?.sessionId]));
    const known = new Set<string>();
    for (const event of events) {
      if (event.type === '@xstate.actor') {
        expect(event.parentId === undefined ? known.size : known.has(event.parentId)).toBe(
          event.parentId === undefined ? 0 : true,
        );
        known.add(event.sessionId);
      }
      expect(known).toContain(event.sessionId);
    }
    expect(actors.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['session s', 'turn alice', 'tool-call wait call_1']),
    );
  });

  test('the times are those of the records', async () => {
    const { events } = await cancelledTurn();
    const cancels = of(events, '@xstate.event').filter(({ event }) => event.type === 'CANCEL');
    expect(cancels).toHaveLength(7);
    expect(new Set(cancels.map(({ createdAt }) => createdAt))).toEqual(new Set(['50']));
    expect(cancels[0]).toMatchObject({ event: { type: 'CANCEL', source: 'client', by: 'alice' } });
    const numbers = events.map(({ id }) => Number(id));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test('XState makes of a definition and each of its snapshots an actor in that very state', async () => {
    const { events } = await cancelledTurn();
    const definitions = new Map(
      of(events, '@xstate.actor').map(({ sessionId, definition = '' }) => [sessionId, definition]),
    );
    const states = new Set<string>();
    for (const event of of(events, '@xstate.snapshot')) {
      const definition = JSON.parse(definitions.get(event.sessionId) ?? '');
      if (!definition.states) continue;
      const actor = createActor(createMachine(definition), { snapshot: event.snapshot });
      expect(actor.getSnapshot()).toMatchObject({
        value: (event.snapshot as { value?: unknown }).value,
        status: event.snapshot.status,
      });
      states.add(`${definition.id} ${JSON.stringify(actor.getSnapshot().value)}`);
    }
    expect([...states]).toEqual(
      expect.arrayContaining([
        'turn {"acting":"interrupted"}',
        'tool-call {"running":"interrupted"}',
        'turn "gone"',
        'session "open"',
      ]),
    );
  });
});

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values<AnyStateNode>(node.states).flatMap(nodesOf),
];

describe('a chart as plain data', () => {
  const machines: readonly AnyStateMachine[] = [
    connectionMachine,
    sessionMachine,
    turnMachine,
    toolCallMachine,
    subAgentMachine,
  ];

  test.each(machines.map((machine) => [machine.id, machine] as const))(
    '%s has the same states and roads, by name',
    (_, machine) => {
      const chart = plainChart(machine);
      expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
      const again = createMachine(chart as never) as AnyStateMachine;
      const roadsOf = (from: AnyStateMachine) =>
        nodesOf(from.root).map(({ id, type, transitions, always, tags, invoke }) => ({
          id,
          type,
          tags,
          workers: invoke.map(({ src }: { src: unknown }) => src),
          roads: [...transitions.values(), always ?? []].flat().map(({ eventType, target = [], actions }) => ({
            eventType,
            to: target.map((node: { id: string }) => node.id),
            actions: actions.map((action) => (typeof action === 'string' ? action : 'type' in action && action.type)),
          })),
        }));
      expect(roadsOf(again)).toEqual(roadsOf(machine));
      expect(again.id).toBe(machine.id);
    },
  );

  test('composed guards keep their names, and a phase without an answer to CANCEL has the reason as its description', () => {
    const text = JSON.stringify(plainChart(toolCallMachine));
    expect(text).toContain('isGo and passes running');
    expect(text).toContain('CANCEL: already settled as abandoned');
    expect(JSON.stringify(plainChart(sessionMachine))).toContain('isOpenQuestion and mayAnswer');
  });
});
