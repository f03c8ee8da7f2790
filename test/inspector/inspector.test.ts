// The records of the inspector: off until somebody listens, one tree, in order, bounded.
import { describe, expect, test, vi } from 'vitest';
import { createInspector } from '../../src/inspector/inspector.ts';
import { maxIds } from '../../src/inspector/visible-fields.ts';
import { asks, createWorld, once, says } from '../support/world.ts';
import { collectRecords, createObservedWorld } from './observed.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** A tool, and a sub-agent with a tool and a sub-agent, whose tool works three storeys down. */
const deep = (_: unknown, n: number) => {
  if (n === 0) return asks(['wait', { unwind: 20 }], ['spawn_agent', { task: 'one' }]);
  if (n === 1) return asks(['spawn_agent', { task: 'two' }]);
  if (n === 2) return asks(['wait', { unwind: 30 }]);
  return says('done');
};

async function deepWorld() {
  const world = await createObservedWorld({ agents, respond: deep });
  const turn = await world.say('words');
  await world.clock.advance(50);
  expect(world.ran).toHaveLength(2);
  return { ...world, turn };
}

describe('off until somebody listens', () => {
  test('no observer hangs on any actor system while nobody listens', async () => {
    const world = await deepWorld();
    await world.cancel({ target: world.turn });
    await world.clock.advance(5_000);
    expect(world.inspector.roots.length).toBe(2);
    expect(world.inspector.observers).toBe(0);
    expect(world.inspector.recent()).toEqual([]);
    expect(world.inspector.state).toBe('off');
  });

  test('the first listener switches it on for the actors of now and of later, the last one off', async () => {
    const world = await deepWorld();
    const first = collectRecords(world.inspector);
    expect(world.inspector.observers, 'the session and its turn tree').toBe(2);
    const second = collectRecords(world.inspector);
    expect(world.inspector.observers, 'one for each system, however many listen').toBe(2);
    await world.say('more words', { ...world.alice, speaker: { id: 'bob', roles: ['member'] } });
    expect(world.inspector.observers).toBe(3);
    first.stop();
    first.stop();
    const recorded = first.records.length;
    expect(world.inspector.observers).toBe(3);
    second.stop();
    expect(world.inspector.observers).toBe(0);
    expect(world.inspector.recent(), 'nothing is kept').toEqual([]);
    await world.cancel({ target: 'session' });
    await world.clock.advance(5_000);
    expect(first.records).toHaveLength(recorded);
    expect(world.inspector.state).toBe('off');
  });

  test('a turn tree that has ended is not held, nor a session', async () => {
    const world = await createObservedWorld();
    const recorded = collectRecords(world.inspector);
    const turn = await world.say('words');
    await world.clock.advance(1_000);
    expect(world.end(turn)?.outcome).toBe('completed');
    expect(world.inspector.observers).toBe(1);
    expect(
      collectRecords(world.inspector)
        .actors()
        .map(({ name }) => name),
    ).toEqual(['session']);
    expect(recorded.states().findLast(({ status }) => status === 'done')).toBeDefined();
    const closed = world.runtime.close();
    await world.clock.advance(1_000);
    await closed;
    expect(world.inspector.observers).toBe(0);
    expect(collectRecords(world.inspector).records).toEqual([]);
  });

  test('turn trees that nobody waits for any more go with their session', async () => {
    const world = await createObservedWorld({
      respond: once(['deaf', { ms: 600_000 }]),
    });
    collectRecords(world.inspector);
    await world.say('words');
    await world.clock.advance(50);
    const closed = world.runtime.close();
    await world.clock.advance(20_000);
    await closed;
    expect(world.inspector.observers).toBe(0);
    expect(collectRecords(world.inspector).records).toEqual([]);
  });
});

describe('one tree', () => {
  test('session, link, turn and call hang below each other, across the actor systems', async () => {
    const world = await createObservedWorld({ agents, respond: deep });
    const recorded = collectRecords(world.inspector);
    const turn = await world.say('words');
    await world.clock.advance(50);
    const lines = recorded
      .actors()
      .filter(({ name }) => !['model', 'prepare', 'append'].includes(name))
      .map(({ parent, actor }) => `${parent === null ? '' : `${recorded.nameOf(parent)} > `}${recorded.nameOf(actor)}`);
    const [one, two] = [0, 1].map((place) => world.call('spawn_agent', place));
    const [turnOne, turnTwo] = world.heard.of('turn_started').flatMap((fact) => (fact.parent ? [fact.turn] : []));
    expect(lines).toEqual([
      'session',
      `session > link ${turn}`,
      `link ${turn} > turn ${turn}`,
      `turn ${turn} > tool ${world.call('wait')}`,
      `tool ${world.call('wait')} > work of tool ${world.call('wait')}`,
      `turn ${turn} > sub ${one}`,
      `sub ${one} > turn ${turnOne}`,
      `turn ${turnOne} > sub ${two}`,
      `sub ${two} > turn ${turnTwo}`,
      `turn ${turnTwo} > tool ${world.call('wait', 1)}`,
      `tool ${world.call('wait', 1)} > work of tool ${world.call('wait', 1)}`,
    ]);
    expect(new Set(recorded.records.map(({ root, session }) => `${root} ${session}`))).toEqual(
      new Set([`${recorded.actors()[0]?.actor} s`]),
    );
  });

  test('the record of an actor comes before its events, that of its parent before it', async () => {
    const world = await createObservedWorld({ agents, respond: deep });
    const recorded = collectRecords(world.inspector);
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: turn });
    await world.clock.advance(5_000);
    const known = new Set<string>();
    for (const record of recorded.records) {
      if (record.type === 'actor') {
        expect(known).not.toContain(record.actor);
        expect(record.parent === null || known.has(record.parent)).toBe(true);
        known.add(record.actor);
      } else expect(known).toContain(record.actor);
      if (record.type === 'event' && record.from !== null) expect(known).toContain(record.from);
    }
    expect(recorded.records.map(({ n }) => n)).toEqual(
      recorded.records.map((_, i) => i + (recorded.records[0]?.n ?? 0)),
    );
  });

  test('a later listener receives the same tree, as it is now', async () => {
    const world = await createObservedWorld({ agents, respond: deep });
    const early = collectRecords(world.inspector);
    await world.say('words');
    await world.clock.advance(50);
    const late = collectRecords(world.inspector);
    const ended = new Set(
      early.records.flatMap((record) => (record.type === 'state' && record.status !== 'active' ? [record.actor] : [])),
    );
    const living = early.actors().filter(({ actor }) => !ended.has(actor));
    expect(new Set(late.actors().map(({ actor, parent, node }) => ({ actor, parent, node })))).toEqual(
      new Set(living.map(({ actor, parent, node }) => ({ actor, parent, node }))),
    );
    const turn = late.actors().find(({ name, parent }) => name === 'turn' && late.nameOf(parent).startsWith('link'));
    expect(turn).toMatchObject({ chart: 'turn', status: 'active', value: { acting: 'active' } });
    expect(late.actors().at(-1)).toMatchObject({ name: 'work', chart: null, value: null, status: 'active' });
  });

  test('a machine that threw has the status `error`', async () => {
    const world = await createObservedWorld({ agents, respond: deep });
    const recorded = collectRecords(world.inspector);
    await world.say('words');
    await world.clock.advance(50);
    const actorOf = (node: string) =>
      recorded.actors().find((actor) => actor.node === node && actor.chart !== null)?.actor;
    const child = world.call('wait');
    const tree = world.inspector.roots[1];
    const children: Readonly<Record<string, { send(event: object): void }>> = tree?.getSnapshot().children;
    children['call.0']?.send({ type: 'CANCEL' }); // a guard that reads the plan of this throws
    tree?.send({ type: 'CANCEL' });
    await world.clock.advance(5_000);
    const errors = recorded.states().flatMap(({ status, actor }) => (status === 'error' ? [actor] : []));
    expect(errors).toEqual([actorOf(child), tree?.sessionId]);
    expect(world.warnings).toContain(`The machine of ${child} threw.`);
  });
});

test('the wave of a CANCEL goes from parent to child, in one tick, with its cause and verdicts', async () => {
  const world = await createObservedWorld({ agents, respond: deep });
  const recorded = collectRecords(world.inspector);
  const turn = await world.say('words');
  await world.clock.advance(50);
  const at = world.clock.now();
  await world.cancel({ target: turn, reason: 'changed my mind' });
  await world.clock.advance(5_000);
  const wave = recorded.events('CANCEL');
  expect(wave.every((event) => event.at === at)).toBe(true);
  const parents = new Map(recorded.actors().map(({ actor, parent }) => [actor, parent]));
  for (const { actor, from } of wave.slice(1)) expect(from, 'the sender is the parent').toBe(parents.get(actor));
  const actors = wave.map(({ actor }) => actor);
  for (const actor of actors.slice(1))
    expect(actors.indexOf(parents.get(actor) ?? '')).toBeLessThan(actors.indexOf(actor));
  expect(wave.map(({ actor }) => recorded.nameOf(actor).split(' ')[0])).toEqual([
    ...['session', 'link', 'turn', 'tool', 'sub', 'turn', 'sub', 'turn', 'tool'],
  ]);
  expect(wave[0]).toMatchObject({
    from: null,
    fields: { source: 'client', by: 'alice', target: turn, reasonChars: 15 },
  });
  expect(wave[2]?.fields).toMatchObject({ source: 'client', stop: expect.arrayContaining([turn, world.call('wait')]) });
  const outcomes = recorded.events('OUTCOME').map(({ actor, from, fields }) => ({ actor, from, fields }));
  for (const { actor, from } of outcomes) expect(actor, 'an outcome comes up').toBe(parents.get(from ?? ''));
  expect(outcomes.at(-1)).toMatchObject({ fields: { node: turn, kind: 'cancelled' } });
  const interrupted = recorded.states().filter(({ value }) => JSON.stringify(value) === '{"acting":"interrupted"}');
  expect(new Set(interrupted.map(({ actor }) => actor)).size, 'three turns').toBe(3);
});

describe('bounded', () => {
  test('the ring keeps the last records, and a listener that is slower loses the oldest, visibly', async () => {
    const world = await createObservedWorld({
      inspect: { keep: 10 },
      respond: once(...Array.from({ length: 12 }, () => ['wait', { ms: 10 }] as const)),
    });
    const recorded = collectRecords(world.inspector);
    await world.say('words');
    await world.clock.advance(1_000);
    const recent = world.inspector.recent();
    expect(recent).toHaveLength(10);
    const numbers = recorded.records.map(({ n }) => n);
    expect(recent.map(({ n }) => n)).toEqual(Array.from({ length: 10 }, (_, i) => (numbers.at(-1) ?? 0) - 9 + i));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const gaps = numbers.slice(1).filter((n, i) => n - (numbers[i] ?? 0) > 1);
    expect(gaps.length, 'twelve calls opened in one tick are more than ten records').toBeGreaterThan(0);
  });

  test('a record is small, however long the texts, calls and outputs are', async () => {
    const huge = 'x'.repeat(200_000);
    const world = await createObservedWorld({
      inspect: { data: 'texts' },
      limits: { sayChars: 1_000_000 },
      respond: (_, n) =>
        n === 0
          ? asks(...Array.from({ length: 64 }, (_, i) => ['wait', { ms: 10_000 + i, huge }] as const), [huge, { huge }])
          : says(huge),
    });
    const recorded = collectRecords(world.inspector);
    const turn = await world.say(huge);
    await world.clock.advance(50);
    await world.cancel({ target: turn, reason: huge });
    await world.clock.advance(5_000);
    expect(recorded.records.length).toBeGreaterThan(300);
    const sizes = recorded.records.map((record) => JSON.stringify(record).length);
    expect(Math.max(...sizes)).toBeLessThan(8_192);
    const cut = recorded.events('CANCEL')[1]?.fields;
    expect(cut).toMatchObject({ stop: expect.objectContaining({ length: maxIds }), stopMore: 1 });
  });

  test.each([0, 1.5, -1, Number.NaN])('a ring of %s is rejected by name', (keep) => {
    expect(() => createInspector({ clock: { now: () => 0 }, keep })).toThrow(/keep must be a whole number from 1/);
  });
});

describe('nobody is disturbed', () => {
  test('a listener that throws is reported and removed; turns and other listeners go on', async () => {
    const reported: unknown[] = [];
    const world = await createObservedWorld({ inspect: { report: (error) => reported.push(error) } });
    const broken = vi.fn((record: { readonly n: number }) => {
      if (record.n > 3) throw new Error('a listener');
    });
    world.inspector.listen(broken);
    const recorded = collectRecords(world.inspector);
    const turn = await world.say('words');
    await world.clock.advance(1_000);
    expect(world.end(turn)?.outcome).toBe('completed');
    expect(reported).toEqual([new Error('a listener')]);
    const calls = broken.mock.calls.length;
    expect(recorded.records.length).toBeGreaterThan(calls);
    await world.say('more');
    expect(broken.mock.calls.length).toBe(calls);
  });

  test('no listener is called inside the tick of a CANCEL, but soon after', async () => {
    const world = await deepWorld();
    const recorded = collectRecords(world.inspector);
    const before = recorded.records.length;
    const asked = world.session.cancel(world.alice, { target: world.turn });
    await Promise.resolve();
    expect(world.inspector.recent().some((record) => record.type === 'event' && record.event === 'CANCEL')).toBe(true);
    expect(recorded.records).toHaveLength(before);
    await world.clock.advance(100);
    await asked;
    expect(recorded.events('CANCEL')).toHaveLength(9);
  });

  test('an inspector of the embedder that throws does not stop a turn', async () => {
    const inspector = {
      attach() {
        throw new Error('no');
      },
    };
    const world = await createWorld({ inspector });
    const turn = await world.say('words');
    await world.clock.advance(1_000);
    expect(world.end(turn)?.outcome).toBe('completed');
    expect(world.warnings).toContain('The inspector threw.');
  });
});
