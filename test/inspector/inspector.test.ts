// The records of the inspector: off until somebody listens, one tree, in order, bounded.
import { describe, expect, test, vi } from 'vitest';
import { createInspector } from '../../src/inspector/inspector.ts';
import { maxIds } from '../../src/inspector/visible-fields.ts';
import { callsOnce, callsResponse, startHarness, textResponse } from '../support/harness.ts';
import { collectRecords, startObservedHarness } from './observed.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** A tool, and a sub-agent with a tool and a sub-agent, whose tool works three storeys down. */
const deep = (_: unknown, n: number) => {
  if (n === 0) return callsResponse(['wait', { unwind: 20 }], ['spawn_agent', { task: 'one' }]);
  if (n === 1) return callsResponse(['spawn_agent', { task: 'two' }]);
  if (n === 2) return callsResponse(['wait', { unwind: 30 }]);
  return textResponse('done');
};

async function startDeepHarness() {
  const harness = await startObservedHarness({ agents, respond: deep });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  expect(harness.entered).toHaveLength(2);
  return Object.assign(harness, { turn });
}

describe('off until somebody listens', () => {
  test('no observer hangs on any actor system while nobody listens', async () => {
    const harness = await startDeepHarness();
    await harness.cancel({ target: harness.turn });
    await harness.clock.advance(5_000);
    expect(harness.inspector.roots.length).toBe(2);
    expect(harness.inspector.observers).toBe(0);
    expect(harness.inspector.recent()).toEqual([]);
    expect(harness.inspector.state).toBe('off');
  });

  test('the first listener switches it on for the actors of now and of later, the last one off', async () => {
    const harness = await startDeepHarness();
    const first = collectRecords(harness.inspector);
    expect(harness.inspector.observers, 'the session and its turn tree').toBe(2);
    const second = collectRecords(harness.inspector);
    expect(harness.inspector.observers, 'one for each system, however many listen').toBe(2);
    await harness.say('more words', { ...harness.alice, speaker: { id: 'bob', roles: ['member'] } });
    expect(harness.inspector.observers).toBe(3);
    first.stop();
    first.stop();
    const recorded = first.records.length;
    expect(harness.inspector.observers).toBe(3);
    second.stop();
    expect(harness.inspector.observers).toBe(0);
    expect(harness.inspector.recent(), 'nothing is kept').toEqual([]);
    await harness.cancel({ target: 'session' });
    await harness.clock.advance(5_000);
    expect(first.records).toHaveLength(recorded);
    expect(harness.inspector.state).toBe('off');
  });

  test('a turn tree that has ended is not held, nor a session', async () => {
    const harness = await startObservedHarness();
    const recorded = collectRecords(harness.inspector);
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect(harness.inspector.observers).toBe(1);
    expect(
      collectRecords(harness.inspector)
        .actors()
        .map(({ name }) => name),
    ).toEqual(['session']);
    expect(recorded.states().findLast(({ status }) => status === 'done')).toBeDefined();
    const closed = harness.runtime.close();
    await harness.clock.advance(1_000);
    await closed;
    expect(harness.inspector.observers).toBe(0);
    expect(collectRecords(harness.inspector).records).toEqual([]);
  });

  test('turn trees that nobody waits for any more go with their session', async () => {
    const harness = await startObservedHarness({ respond: callsOnce(['ignores_signal', { ms: 600_000 }]) });
    collectRecords(harness.inspector);
    await harness.say('words');
    await harness.clock.advance(50);
    const closed = harness.runtime.close();
    await harness.clock.advance(20_000);
    await closed;
    expect(harness.inspector.observers).toBe(0);
    expect(collectRecords(harness.inspector).records).toEqual([]);
  });
});

describe('one tree', () => {
  test('session, link, turn and call hang below each other, across the actor systems', async () => {
    const harness = await startObservedHarness({ agents, respond: deep });
    const recorded = collectRecords(harness.inspector);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const lines = recorded
      .actors()
      .filter(({ name }) => !['model', 'prepare', 'append'].includes(name))
      .map(({ parent, actor }) => `${parent === null ? '' : `${recorded.nameOf(parent)} > `}${recorded.nameOf(actor)}`);
    const [one, two] = [0, 1].map((place) => harness.callNamed('spawn_agent', place));
    const [turnOne, turnTwo] = harness.recorder.of('turn_started').flatMap((fact) => (fact.parent ? [fact.turn] : []));
    expect(lines).toEqual([
      'session',
      `session > link ${turn}`,
      `link ${turn} > turn ${turn}`,
      `turn ${turn} > tool ${harness.callNamed('wait')}`,
      `tool ${harness.callNamed('wait')} > work of tool ${harness.callNamed('wait')}`,
      `turn ${turn} > sub ${one}`,
      `sub ${one} > turn ${turnOne}`,
      `turn ${turnOne} > sub ${two}`,
      `sub ${two} > turn ${turnTwo}`,
      `turn ${turnTwo} > tool ${harness.callNamed('wait', 1)}`,
      `tool ${harness.callNamed('wait', 1)} > work of tool ${harness.callNamed('wait', 1)}`,
    ]);
    expect(new Set(recorded.records.map(({ root, session }) => `${root} ${session}`))).toEqual(
      new Set([`${recorded.actors()[0]?.actor} s`]),
    );
  });

  test('the record of an actor comes before its events, that of its parent before it', async () => {
    const harness = await startObservedHarness({ agents, respond: deep });
    const recorded = collectRecords(harness.inspector);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(5_000);
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
    const harness = await startObservedHarness({ agents, respond: deep });
    const early = collectRecords(harness.inspector);
    await harness.say('words');
    await harness.clock.advance(50);
    const late = collectRecords(harness.inspector);
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
    const harness = await startObservedHarness({ agents, respond: deep });
    const recorded = collectRecords(harness.inspector);
    await harness.say('words');
    await harness.clock.advance(50);
    const actorOf = (node: string) =>
      recorded.actors().find((actor) => actor.node === node && actor.chart !== null)?.actor;
    const child = harness.callNamed('wait');
    const tree = harness.inspector.roots[1];
    const children: Readonly<Record<string, { send(event: object): void }>> = tree?.getSnapshot().children;
    children['call.0']?.send({ type: 'CANCEL' }); // a guard that reads the plan of this throws
    tree?.send({ type: 'CANCEL' });
    await harness.clock.advance(5_000);
    const errors = recorded.states().flatMap(({ status, actor }) => (status === 'error' ? [actor] : []));
    expect(errors).toEqual([actorOf(child), tree?.sessionId]);
    expect(harness.warnings).toContain(`The machine of ${child} threw.`);
  });
});

test('the wave of a CANCEL goes from parent to child, in one tick, with its cause and verdicts', async () => {
  const harness = await startObservedHarness({ agents, respond: deep });
  const recorded = collectRecords(harness.inspector);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  const at = harness.clock.now();
  await harness.cancel({ target: turn, reason: 'changed my mind' });
  await harness.clock.advance(5_000);
  const wave = recorded.events('CANCEL');
  expect(wave.every((event) => event.at === at)).toBe(true);
  const parents = new Map(recorded.actors().map(({ actor, parent }) => [actor, parent]));
  for (const { actor, from } of wave.slice(1)) expect(from, 'the sender is the parent').toBe(parents.get(actor));
  const actors = wave.map(({ actor }) => actor);
  for (const actor of actors.slice(1))
    expect(actors.indexOf(parents.get(actor) ?? '')).toBeLessThan(actors.indexOf(actor));
  expect(wave.map(({ actor }) => recorded.nameOf(actor).split(' ')[0])).toEqual([
    'session',
    'link',
    'turn',
    'tool',
    'sub',
    'turn',
    'sub',
    'turn',
    'tool',
  ]);
  expect(wave[0]).toMatchObject({
    from: null,
    fields: { source: 'client', by: 'alice', target: turn, reasonChars: 15 },
  });
  expect(wave[2]?.fields).toMatchObject({
    source: 'client',
    stop: expect.arrayContaining([turn, harness.callNamed('wait')]),
  });
  const outcomes = recorded.events('OUTCOME').map(({ actor, from, fields }) => ({ actor, from, fields }));
  for (const { actor, from } of outcomes) expect(actor, 'an outcome comes up').toBe(parents.get(from ?? ''));
  expect(outcomes.at(-1)).toMatchObject({ fields: { node: turn, kind: 'cancelled' } });
  const interrupted = recorded.states().filter(({ value }) => JSON.stringify(value) === '{"acting":"interrupted"}');
  expect(new Set(interrupted.map(({ actor }) => actor)).size, 'three turns').toBe(3);
});

describe('bounded', () => {
  test('the ring keeps the last records, and a listener that is slower loses the oldest, visibly', async () => {
    const harness = await startObservedHarness({
      inspect: { keep: 10 },
      respond: callsOnce(...Array.from({ length: 12 }, () => ['wait', { ms: 10 }] as const)),
    });
    const recorded = collectRecords(harness.inspector);
    await harness.say('words');
    await harness.clock.advance(1_000);
    const recent = harness.inspector.recent();
    expect(recent).toHaveLength(10);
    const numbers = recorded.records.map(({ n }) => n);
    expect(recent.map(({ n }) => n)).toEqual(Array.from({ length: 10 }, (_, i) => (numbers.at(-1) ?? 0) - 9 + i));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const gaps = numbers.slice(1).filter((n, i) => n - (numbers[i] ?? 0) > 1);
    expect(gaps.length, 'twelve calls opened in one tick are more than ten records').toBeGreaterThan(0);
  });

  test('a record is small, however long the texts, calls and outputs are', async () => {
    const huge = 'x'.repeat(200_000);
    const waits = Array.from({ length: 64 }, (_, i) => ['wait', { ms: 10_000 + i, huge }] as const);
    const harness = await startObservedHarness({
      inspect: { data: 'texts' },
      limits: { sayChars: 1_000_000 },
      respond: (_, n) => (n === 0 ? callsResponse(...waits, [huge, { huge }]) : textResponse(huge)),
    });
    const recorded = collectRecords(harness.inspector);
    const turn = await harness.say(huge);
    await harness.clock.advance(50);
    await harness.cancel({ target: turn, reason: huge });
    await harness.clock.advance(5_000);
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
    const harness = await startObservedHarness({ inspect: { report: (error) => reported.push(error) } });
    const broken = vi.fn((record: { readonly n: number }) => {
      if (record.n > 3) throw new Error('a listener');
    });
    harness.inspector.listen(broken);
    const recorded = collectRecords(harness.inspector);
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect(reported).toEqual([new Error('a listener')]);
    const calls = broken.mock.calls.length;
    expect(recorded.records.length).toBeGreaterThan(calls);
    await harness.say('more');
    expect(broken.mock.calls.length).toBe(calls);
  });

  test('no listener is called inside the tick of a CANCEL, but soon after', async () => {
    const harness = await startDeepHarness();
    const recorded = collectRecords(harness.inspector);
    const before = recorded.records.length;
    const asked = harness.session.cancel(harness.alice, { target: harness.turn });
    await Promise.resolve();
    const events = harness.inspector.recent().map((record) => (record.type === 'event' ? record.event : ''));
    expect(events).toContain('CANCEL');
    expect(recorded.records).toHaveLength(before);
    await harness.clock.advance(100);
    await asked;
    expect(recorded.events('CANCEL')).toHaveLength(9);
  });

  test('an inspector of the embedder that throws does not stop a turn', async () => {
    const attach = vi.fn(() => {
      throw new Error('no');
    });
    const harness = await startHarness({ inspector: { attach } });
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect(harness.warnings).toContain('The inspector threw.');
  });
});
