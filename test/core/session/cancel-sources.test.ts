// The sources of a CANCEL: each leads to the same stop, and its cause decides the outcome.
import { expect, test } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Observer } from '../../../src/core/session/session-spec.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';

test("a turn's deadline gives timed_out, also for every node below the turn [cancel.sources]", async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 9_000 }]), limits: { turnMs: 500 } });
  const turn = await harness.say('words');
  await harness.clock.advance(1_000);
  expect(harness.endOf(turn)?.outcome).toBe('timed_out');
  expect(harness.outcomes()).toEqual({ [harness.callNamed('wait')]: 'timed_out' });
  expect(harness.settledReceipts()[0]?.cause).toMatchObject({ source: 'deadline', by: null });
  expect(harness.clock.now()).toBe(1_000);
});

test("a tool's timeout ends the call, and the turn goes on [cancel.sources] [cancel.tool]", async () => {
  const slow = toolOf(
    'slow',
    (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    { timeoutMs: 300 },
  );
  const harness = await startHarness({ tools: [slow], respond: callsOnce(['slow'], ['note']) });
  const turn = await harness.say('words');
  await harness.clock.advance(2_000);
  expect(harness.outcomes()).toEqual({
    [harness.callNamed('slow')]: 'timed_out',
    [harness.callNamed('note')]: 'completed',
  });
  expect(harness.endOf(turn)?.outcome).toBe('completed');
});

test.each([
  { onDisconnect: 'cancel' as const, outcome: 'cancelled' },
  { onDisconnect: 'continue' as const, outcome: 'completed' },
])('a lost client: $onDisconnect gives $outcome [cancel.sources]', async ({ onDisconnect, outcome }) => {
  const harness = await startHarness({
    session: () => ({ onDisconnect }),
    respond: callsOnce(['wait', { ms: 20_000 }]),
    limits: { disconnectGraceMs: 3_000 },
  });
  const turn = await harness.say('words');
  await harness.clock.advance(100);
  void harness.session.leave(harness.alice.connection, 'lost');
  await harness.clock.advance(2_900);
  expect((await harness.session.nodes()).map(({ state }) => state)).toEqual(['running', 'running']);
  await harness.clock.advance(30_000);
  const ends = (await harness.log.read('s', 0)).map(
    ({ body }) => body as unknown as { type: string; turn?: NodeId; outcome?: string },
  );
  expect(ends.find(({ type, turn: id }) => type === 'turn_ended' && id === turn)?.outcome).toBe(outcome);
});

test('the first cause of a node is kept [cancel.sources]', async () => {
  const harness = await startHarness({
    respond: callsOnce(['wait', { ms: 9_000, unwind: 400 }]),
    limits: { turnMs: 500 },
  });
  const turn = await harness.say('words');
  await harness.clock.advance(450);
  await harness.cancel({ target: harness.callNamed('wait') });
  await harness.clock.advance(2_000);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('wait')]: 'cancelled' });
  expect(harness.endOf(turn)?.outcome).toBe('timed_out');
});

test('a shutdown is a CANCEL with cause shutdown, and waits until everything has stopped [ops.shutdown] [cancel.sources]', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { unwind: 300 }]) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  const closed = harness.runtime.close();
  const refused = harness.session.say(harness.alice, { text: 'too late' }).catch((error: Error) => error.name);
  await harness.clock.advance(2_000);
  await closed;
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  expect(harness.settledReceipts()[0]?.cause.source).toBe('shutdown');
  expect(harness.recorder.ended).toBe('shutdown');
  expect(await refused).toMatchObject({ type: 'say_refused', code: 'session_closing' });
  expect(await harness.log.orphaned(), 'the session is released').toEqual([]);
  await expect(bindSession(harness.runtime, 's')).rejects.toThrow('closing');
});

test('a shutdown has a time limit: what does not stop is reported as abandoned [ops.shutdown] [cancel.bounded]', async () => {
  const harness = await startHarness({ respond: callsOnce(['ignores_signal', { ms: 60_000 }]) });
  await harness.say('words');
  await harness.clock.advance(50);
  const closed = harness.runtime.close();
  await harness.clock.advance(12_000);
  await closed;
  expect(harness.settledReceipts()[0]?.nodes[1]?.outcome).toBe('abandoned');
});

test('a second shutdown with force skips the grace of running calls [ops.shutdown]', async () => {
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
  const harness = await startHarness({ tools: [stubborn], respond: callsOnce(['stubborn']) });
  await harness.say('words');
  await harness.clock.advance(50);
  const closed = harness.runtime.close();
  await harness.clock.advance(100);
  expect(killed).toEqual([]);
  void harness.runtime.close({ force: true });
  await harness.clock.advance(100);
  await closed;
  expect(killed).toEqual([150]);
  expect(harness.settledReceipts()[0]?.nodes[1]).toMatchObject({ outcome: 'cancelled', forced: true });
});

test('an exception in an abort listener is reported for its call, and affects no other call [tool.signal]', async () => {
  const throwing = toolOf('throwing', (_, { signal }) => {
    signal.addEventListener('abort', () => {
      throw new Error('throwing');
    });
    return new Promise((resolve) => {
      signal.onabort = () => resolve({ kind: 'stopped', output: '' });
    });
  });
  const harness = await startHarness({ tools: [throwing], respond: callsOnce(['throwing'], ['wait']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('tool_result')).toMatchObject([
    { node: harness.callNamed('throwing'), outcome: 'cancelled', message: 'Its abort listener threw: throwing' },
    { node: harness.callNamed('wait'), outcome: 'cancelled' },
  ]);
  expect(await harness.say('and on')).toBeTruthy();
});

test('observers are notified once when a node starts and once when it ends, and can tell cancelled from failed [ops.hooks]', async () => {
  const notified: string[] = [];
  const observer: Observer = {
    started: ({ node }) => notified.push(`started ${node}`),
    ended: ({ node, outcome }) => notified.push(`${outcome} ${node}`),
  };
  const angry: Observer = {
    started() {
      throw new Error('an observer');
    },
  };
  const broken = toolOf('broken', () => Promise.reject(new Error('no')));
  const harness = await startHarness({
    tools: [broken],
    observers: [angry, observer],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: (_, n) =>
      n === 0
        ? callsResponse(['broken'], ['wait'], ['spawn_agent', { task: 'x' }])
        : n === 1
          ? callsResponse(['ignores_signal', { ms: 4_000 }])
          : textResponse('ok'),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(9_000);
  const subTurn = harness.recorder.of('turn_started').find(({ parent }) => parent !== null)?.turn;
  const nodes = [
    turn,
    harness.callNamed('broken'),
    harness.callNamed('wait'),
    harness.callNamed('spawn_agent'),
    subTurn,
    harness.callNamed('ignores_signal'),
  ];
  expect(notified.toSorted()).toEqual(
    [
      ...nodes.map((node) => `started ${node}`),
      `cancelled ${turn}`,
      `failed ${harness.callNamed('broken')}`,
      `cancelled ${harness.callNamed('wait')}`,
      `cancelled ${harness.callNamed('spawn_agent')}`,
      `cancelled ${subTurn}`,
      `abandoned ${harness.callNamed('ignores_signal')}`,
    ].toSorted(),
  );
});

test('a CANCEL of its turn lists a detached agent and lets it run; a CANCEL of its own id stops it [agent.tree]', async () => {
  const harness = await startHarness({
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: (_, n) =>
      n === 0
        ? callsResponse(['spawn_agent', { task: 'for long', detached: true }], ['wait'])
        : n === 1
          ? callsResponse(['wait', { ms: 60_000 }])
          : textResponse('ok'),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(500);
  const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent');
  expect(harness.recorder.of('cancel_accepted')[0]?.detached).toEqual([agent?.turn]);
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  expect(harness.outcomes()[harness.callNamed('spawn_agent')]).toBe('completed');
  expect(await harness.session.nodes()).toHaveLength(2);
  await harness.cancel({ target: agent?.turn ?? '' });
  await harness.clock.advance(500);
  expect(harness.endOf(agent?.turn ?? '')?.outcome).toBe('cancelled');
  expect(await harness.session.nodes()).toEqual([]);
});
