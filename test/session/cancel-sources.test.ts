// Where a CANCEL comes from: each source takes the same road, and gives the outcome its name.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { NodeId } from '../../machines/vocabulary.ts';
import { bindSession } from '../../src/embed/bound-session.ts';
import type { Observer } from '../../src/session/session-spec.ts';
import { asks, createWorld, once, says, toolOf } from '../support/world.ts';

test("a turn's deadline gives timed_out, for what lies below as well [cancel.sources]", async () => {
  const world = await createWorld({ respond: once(['wait', { ms: 9_000 }]), limits: { turnMs: 500 } });
  const turn = await world.say('words');
  await world.clock.advance(1_000);
  expect(world.end(turn)?.outcome).toBe('timed_out');
  expect(world.results()).toEqual({ [world.call('wait')]: 'timed_out' });
  expect(world.settled()[0]?.cause).toMatchObject({ source: 'deadline', by: null });
  expect(world.clock.now()).toBe(1_000);
});

test('a deadline that crosses the end of its turn is void [cancel.sources] [cancel.exact]', async () => {
  const world = await createWorld({ respond: () => says('a'), limits: { turnMs: 10 } });
  const turn = await world.say('words');
  await world.clock.advance(2_000);
  expect(['completed', 'timed_out']).toContain(world.end(turn)?.outcome);
  expect(world.heard.of('turn_ended')).toHaveLength(1);
  expect(world.clock.pending, 'no timer is left but that of the idle session').toBe(1);
});

test("a tool's timeout ends the call, and the turn goes on [cancel.sources] [cancel.tool]", async () => {
  const slow = toolOf(
    'slow',
    (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    { timeoutMs: 300 },
  );
  const world = await createWorld({ tools: [slow], respond: once(['slow'], ['note']) });
  const turn = await world.say('words');
  await world.clock.advance(2_000);
  expect(world.results()).toEqual({ [world.call('slow')]: 'timed_out', [world.call('note')]: 'completed' });
  expect(world.end(turn)?.outcome).toBe('completed');
});

test.each([
  { onDisconnect: 'cancel' as const, outcome: 'cancelled' },
  { onDisconnect: 'continue' as const, outcome: 'completed' },
])('a lost client: $onDisconnect gives $outcome [cancel.sources]', async ({ onDisconnect, outcome }) => {
  const world = await createWorld({
    session: () => ({ onDisconnect }),
    respond: once(['wait', { ms: 20_000 }]),
    limits: { disconnectGraceMs: 3_000 },
  });
  const turn = await world.say('words');
  await world.clock.advance(100);
  world.session.leave(world.alice.connection, 'lost');
  await world.clock.advance(2_900);
  expect((await world.session.nodes()).map(({ state }) => state)).toEqual(['running', 'running']);
  await world.clock.advance(30_000);
  const ends = (await world.log.read('s', 0)).map(
    ({ body }) => body as unknown as { type: string; turn?: NodeId; outcome?: string },
  );
  expect(ends.find(({ type, turn: id }) => type === 'turn_ended' && id === turn)?.outcome).toBe(outcome);
});

test('the first cause wins and is kept [cancel.sources]', async () => {
  const world = await createWorld({ respond: once(['wait', { ms: 9_000, unwind: 400 }]), limits: { turnMs: 500 } });
  const turn = await world.say('words');
  await world.clock.advance(450);
  await world.cancel({ target: world.call('wait') });
  await world.clock.advance(2_000);
  expect(world.results()).toEqual({ [world.call('wait')]: 'cancelled' });
  expect(world.end(turn)?.outcome).toBe('timed_out');
});

test('a shutdown is a CANCEL with cause shutdown, and waits for what it stops [ops.shutdown] [cancel.sources]', async () => {
  const world = await createWorld({ respond: once(['wait', { unwind: 300 }]) });
  const turn = await world.say('words');
  await world.clock.advance(50);
  const closed = world.runtime.close();
  const refused = world.session.say(world.alice, { text: 'too late' }).catch((error: Error) => error.name);
  await world.clock.advance(2_000);
  await closed;
  expect(world.end(turn)?.outcome).toBe('cancelled');
  expect(world.settled()[0]?.cause.source).toBe('shutdown');
  expect(world.heard.ended).toBe('shutdown');
  expect(await refused).toMatchObject({ type: 'say_refused', code: 'session_closing' });
  expect(await world.log.held(), 'the session is given back').toEqual([]);
  await expect(bindSession(world.runtime, 's')).rejects.toThrow('closing');
});

test('a shutdown is bounded: what cannot be stopped is abandoned, and said so [ops.shutdown] [cancel.bounded]', async () => {
  const world = await createWorld({ respond: once(['deaf', { ms: 60_000 }]) });
  await world.say('words');
  await world.clock.advance(50);
  const closed = world.runtime.close();
  await world.clock.advance(12_000);
  await closed;
  expect(world.settled()[0]?.nodes[1]?.outcome).toBe('abandoned');
});

test('a shutdown that is asked for again with force skips the grace of what runs [ops.shutdown]', async () => {
  const killed: number[] = [];
  const stubborn = toolOf(
    'stubborn',
    (_, { kill, clock }) =>
      new Promise((resolve) =>
        kill.addEventListener('abort', () => {
          killed.push(clock.now());
          resolve({ kind: 'stopped', output: '', forced: true });
        }),
      ),
    { cancel: 'killable' },
  );
  const world = await createWorld({ tools: [stubborn], respond: once(['stubborn']) });
  await world.say('words');
  await world.clock.advance(50);
  const closed = world.runtime.close();
  await world.clock.advance(100);
  expect(killed).toEqual([]);
  void world.runtime.close({ force: true });
  await world.clock.advance(100);
  await closed;
  expect(killed).toEqual([150]);
  expect(world.settled()[0]?.nodes[1]).toMatchObject({ outcome: 'cancelled', forced: true });
});

test('a script without a socket stays alive until its shutdown has been written [ops.shutdown]', async () => {
  const program = fileURLToPath(new URL('../programs/closes-with-stubborn-tool.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 20_000 });
  expect(JSON.parse(stdout)).toMatchObject({
    cause: { source: 'shutdown' },
    nodes: [{ outcome: 'cancelled' }, { outcome: 'abandoned' }],
  });
});

test('an exception in an abort listener is charged to its call, and ends nothing else [tool.signal]', async () => {
  const rude = toolOf('rude', (_, { signal }) => {
    signal.addEventListener('abort', () => {
      throw new Error('rude');
    });
    return new Promise((resolve) => {
      signal.onabort = () => resolve({ kind: 'stopped', output: '' });
    });
  });
  const world = await createWorld({ tools: [rude], respond: once(['rude'], ['wait']) });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn });
  await world.clock.advance(1_000);
  expect(world.heard.of('tool_result')).toMatchObject([
    { node: world.call('rude'), outcome: 'cancelled', message: 'Its abort listener threw: rude' },
    { node: world.call('wait'), outcome: 'cancelled' },
  ]);
  expect(await world.say('and on')).toBeTruthy();
});

test('observers hear of each node once when it starts and once when it ends, cancelled apart from failed [ops.hooks]', async () => {
  const heard: string[] = [];
  const observer: Observer = {
    started: ({ node }) => heard.push(`started ${node}`),
    ended: ({ node, outcome }) => heard.push(`${outcome} ${node}`),
  };
  const angry: Observer = {
    started() {
      throw new Error('an observer');
    },
  };
  const broken = toolOf('broken', () => Promise.reject(new Error('no')));
  const world = await createWorld({
    tools: [broken],
    observers: [angry, observer],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: (_, n) =>
      n === 0
        ? asks(['broken'], ['wait'], ['spawn_agent', { task: 'x' }])
        : n === 1
          ? asks(['deaf', { ms: 4_000 }])
          : says('ok'),
  });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn });
  await world.clock.advance(9_000);
  const subTurn = world.heard.of('turn_started').find(({ parent }) => parent !== null)?.turn;
  const nodes = [
    turn,
    world.call('broken'),
    world.call('wait'),
    world.call('spawn_agent'),
    subTurn,
    world.call('deaf'),
  ];
  expect(heard.toSorted()).toEqual(
    [
      ...nodes.map((node) => `started ${node}`),
      `cancelled ${turn}`,
      `failed ${world.call('broken')}`,
      `cancelled ${world.call('wait')}`,
      `cancelled ${world.call('spawn_agent')}`,
      `cancelled ${subTurn}`,
      `abandoned ${world.call('deaf')}`,
    ].toSorted(),
  );
});

test('a detached agent is listed by a cancel of its turn, told, and cancelled by its own id [agent.tree]', async () => {
  const world = await createWorld({
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: (_, n) =>
      n === 0
        ? asks(['spawn_agent', { task: 'for long', detached: true }], ['wait'])
        : n === 1
          ? asks(['wait', { ms: 60_000 }])
          : says('ok'),
  });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn });
  await world.clock.advance(500);
  const agent = world.heard.of('turn_opened').find(({ kind }) => kind === 'agent');
  expect(world.heard.of('cancel_accepted')[0]?.detached).toEqual([agent?.turn]);
  expect(world.end(turn)?.outcome).toBe('cancelled');
  expect(world.results()[world.call('spawn_agent')]).toBe('completed');
  expect(await world.session.nodes()).toHaveLength(2);
  await world.cancel({ target: agent?.turn ?? '' });
  await world.clock.advance(500);
  expect(world.end(agent?.turn ?? '')?.outcome).toBe('cancelled');
  expect(await world.session.nodes()).toEqual([]);
});
