// Standing: who may stop which node, through the whole runtime.
import { describe, expect, test } from 'vitest';
import { standing } from '../../../machines/standing.ts';
import type { Limits } from '../../../src/core/workers/session-limits.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, startHarness } from '../../support/harness.ts';

const bob = callerOf('bob');
const carol = callerOf('carol', ['moderator']);

/** A turn of alice with a call of hers and one of bob's. */
async function shared({
  policy = 'owner',
  limits = {},
}: {
  readonly policy?: 'anyone' | 'owner';
  readonly limits?: Partial<Limits>;
} = {}) {
  const harness = await startHarness({
    limits,
    session: () => ({ policy }),
    respond: callsOnce(['wait', { ms: 900 }], ['wait', { ms: 300, of: 'bob' }]),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
  });
  await harness.session.join(bob, createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  return { harness, turn, hers: harness.callNamed('wait', 0), his: harness.callNamed('wait', 1) };
}

describe('under the policy `owner`', () => {
  test("B's CANCEL of A's node is refused with the reason, and every member receives the refusal [owner.node] [owner.guard]", async () => {
    const { harness, turn, hers } = await shared();
    const answer = await harness.cancel({ target: hers }, bob);
    expect(answer).toMatchObject({
      type: 'cancel_refused',
      refusal: { by: 'bob', refused: [{ node: hers, reason: 'not_owner' }] },
    });
    expect(harness.recorder.of('cancel_refused')).toHaveLength(1);
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test("A's CANCEL spares B's call, which runs on and is reported [owner.node] [history.words]", async () => {
    const { harness, turn, hers, his } = await shared();
    await harness.cancel({ target: turn });
    expect(harness.recorder.of('cancel_accepted')[0]).toMatchObject({
      stopping: [turn, hers],
      refused: [{ node: his, reason: 'not_owner' }],
    });
    await harness.clock.advance(100);
    expect(harness.outcomes()).toEqual({ [hers]: 'cancelled', [his]: 'continues' });
    expect(harness.settledReceipts()[0]?.nodes.map(({ node }) => node)).toEqual([turn, hers]);
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('late_result')).toMatchObject([{ node: his, outcome: 'completed', effect: 'done' }]);
    expect(await harness.session.nodes()).toEqual([]);
  });

  test("B stops his own call inside A's running turn, which goes on [owner.node] [cancel.tool]", async () => {
    const { harness, turn, hers, his } = await shared();
    const answer = await harness.cancel({ target: 'mine' }, bob);
    expect(answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [his], refused: [] } });
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toEqual({ [hers]: 'completed', [his]: 'cancelled' });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('a node that one plan refused is stopped by a later one, whose receipt waits for it [owner.node] [cancel.settled]', async () => {
    const { harness, turn, his } = await shared();
    await harness.cancel({ target: turn });
    await harness.clock.advance(1);
    await harness.cancel({ target: turn }, bob);
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('cancel_accepted').map(({ stopping }) => stopping.includes(his))).toEqual([false, true]);
    expect(harness.outcomes()[his]).toBe('cancelled');
    expect(harness.settledReceipts()).toHaveLength(2);
  });

  test('a call that ran on has not ended: the receipt of the CANCEL that stops it later waits for it [owner.node] [cancel.settled]', async () => {
    const { harness, turn, his } = await shared();
    await harness.cancel({ target: turn });
    await harness.clock.advance(50);
    expect(harness.outcomes()[his]).toBe('continues');
    const reply = await harness.cancel({ target: his }, bob);
    const [, later] = harness.recorder.of('cancel_accepted');
    expect(reply).toMatchObject({ type: 'cancel_accepted', receipt: { cancel: later?.cancel, stopping: [his] } });
    await harness.clock.advance(100);
    expect(harness.settledReceipts().find(({ cancel }) => cancel === later?.cancel)?.nodes).toMatchObject([
      { node: his, outcome: 'cancelled' },
    ]);
  });

  test('a moderator may stop everything [owner.guard]', async () => {
    const { harness, turn } = await shared();
    expect(await harness.cancel({ target: 'session' }, carol)).toMatchObject({
      type: 'cancel_accepted',
      receipt: { refused: [] },
    });
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  });

  test.each(['lost', 'left'] as const)(
    'an owner whose last connection is %s counts as a participant for `absentMs`, then who is alone may stop her nodes [owner.guard]',
    async (how) => {
      const { harness, hers } = await shared({ limits: { absentMs: 500, disconnectGraceMs: 100 } });
      void harness.session.leave(harness.alice.connection, how);
      await harness.clock.advance(499);
      expect(await harness.cancel({ target: hers }, bob)).toMatchObject({
        type: 'cancel_refused',
        refusal: { refused: [{ node: hers, reason: 'not_owner' }] },
      });
      await harness.clock.advance(1);
      expect(await harness.cancel({ target: hers }, bob)).toMatchObject({ type: 'cancel_accepted' });
    },
  );

  test.each(['joined', 'never joined'] as const)(
    'a runaway whose owner has %s, and has gone, is stopped after `absentMs`, although it goes on making calls and others come and go [owner.guard]',
    async (how) => {
      const harness = await startHarness({
        limits: { absentMs: 500, disconnectGraceMs: 100 },
        session: () => ({ policy: 'owner' }),
        respond: (_, n) => callsResponse(['wait', { ms: 100, n }]),
      });
      await harness.session.join(bob, createRecorder().listener, null);
      await harness.session.join(carol, createRecorder().listener, null);
      const ann = { ...callerOf('ann'), connection: 'of a bridge', via: 'bridge' };
      const turn = await harness.say('words', how === 'joined' ? harness.alice : ann);
      void harness.session.leave(harness.alice.connection, 'lost');
      await harness.clock.advance(499);
      expect(await harness.cancel({ target: turn }, bob)).toMatchObject({ type: 'cancel_refused' });
      await harness.clock.advance(50);
      void harness.session.leave(carol.connection, 'left');
      await harness.clock.advance(200);
      expect(await harness.cancel({ target: turn }, bob)).toMatchObject({ type: 'cancel_accepted' });
    },
  );

  test('an owner who has come back decides again, and a moderator need not wait [owner.guard]', async () => {
    const { harness, hers } = await shared({ limits: { absentMs: 500, disconnectGraceMs: 100 } });
    void harness.session.leave(harness.alice.connection, 'lost');
    await harness.clock.advance(400);
    await harness.session.join(harness.alice, createRecorder().listener, null);
    await harness.clock.advance(200);
    expect(await harness.cancel({ target: hers }, bob)).toMatchObject({ type: 'cancel_refused' });
    void harness.session.leave(harness.alice.connection, 'lost');
    expect(await harness.cancel({ target: hers }, carol)).toMatchObject({ type: 'cancel_accepted' });
  });
});

test('in a text session every member may stop the bot by default [owner.text]', async () => {
  const { harness, turn } = await shared({ policy: 'anyone' });
  expect(await harness.cancel({ target: turn }, bob)).toMatchObject({
    type: 'cancel_accepted',
    receipt: { refused: [], by: 'bob' },
  });
  await harness.clock.advance(1_000);
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
});

test('a sub-agent below the turn of another owner has a verdict of its own [owner.node] [agent.tree]', async () => {
  const harness = await startHarness({
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    session: () => ({ policy: 'owner' as const }),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    respond: (_, n) =>
      n === 0
        ? callsResponse(['spawn_agent', { task: 'for bob' }], ['wait'])
        : n === 1
          ? callsResponse(['wait', { ms: 100 }])
          : { steps: [{ text: 'ok' }] },
  });
  await harness.session.join(bob, createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(20);
  await harness.cancel({ target: turn });
  await harness.clock.advance(2_000);
  expect(harness.outcomes()[harness.callNamed('spawn_agent')]).toBe('continues');
  expect(harness.recorder.of('late_result')).toMatchObject([
    { node: harness.callNamed('spawn_agent'), outcome: 'completed' },
  ]);
});

test('standing is one pure function of node, speaker, evidence and policy [owner.guard]', () => {
  const node = { id: 'n', kind: 'turn', owner: 'alice', addressee: null } as const;
  const evidence = { source: 'client', participants: 2 } as const;
  const speaker = (id: string, roles: ('member' | 'moderator' | 'emergency' | 'bridge')[] = ['member']) => ({
    id,
    roles,
  });
  expect(standing(node, speaker('alice'), evidence, 'owner')).toEqual({ may: true, because: 'initiator' });
  expect(standing(node, speaker('bob'), evidence, 'owner')).toEqual({ may: false, because: 'not_owner' });
  expect(standing(node, speaker('bob'), evidence, 'anyone')).toEqual({ may: true, because: 'policy' });
  expect(standing(node, speaker('bob', ['moderator']), evidence, 'owner')).toEqual({ may: true, because: 'role' });
  expect(standing(node, speaker('bob', ['bridge']), evidence, 'owner')).toEqual({ may: false, because: 'not_owner' });
  expect(standing(node, speaker('bob'), { ...evidence, participants: 1 }, 'owner')).toEqual({
    may: true,
    because: 'only_participant',
  });
  expect(standing(node, null, { ...evidence, source: 'deadline' }, 'owner')).toEqual({ may: true, because: 'runtime' });
  expect(standing(node, null, evidence, 'owner')).toEqual({ may: false, because: 'not_owner' });
});
