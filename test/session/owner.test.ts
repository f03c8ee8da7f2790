// Standing, through the whole runtime.
import { describe, expect, test } from 'vitest';
import { standing } from '../../machines/standing.ts';
import { asks, createWorld, hear, memberOf, once } from '../support/world.ts';

const bob = memberOf('bob');
const carol = memberOf('carol', ['moderator']);

/** A turn of alice with a call of hers and one of bob's. */
async function shared(policy: 'anyone' | 'owner' = 'owner') {
  const world = await createWorld({
    session: () => ({ policy }),
    respond: once(['wait', { ms: 900 }], ['wait', { ms: 300, of: 'bob' }]),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
  });
  await world.session.join(bob, hear().listener, null);
  const turn = await world.say('words');
  await world.clock.advance(50);
  return { world, turn, hers: world.call('wait', 0), his: world.call('wait', 1) };
}

describe('under the policy `owner`', () => {
  test("B's CANCEL of what is A's is refused, with the reason, and heard [owner.node] [owner.guard]", async () => {
    const { world, turn, hers } = await shared();
    const answer = await world.cancel({ target: hers }, bob);
    expect(answer).toMatchObject({
      type: 'cancel_refused',
      refusal: { by: 'bob', refused: [{ node: hers, reason: 'not_owner' }] },
    });
    expect(world.heard.of('cancel_refused')).toHaveLength(1);
    await world.clock.advance(2_000);
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test("A's CANCEL spares B's call, which runs on and is reported [owner.node] [history.words]", async () => {
    const { world, turn, hers, his } = await shared();
    await world.cancel({ target: turn });
    expect(world.heard.of('cancel_accepted')[0]).toMatchObject({
      stopping: [turn, hers],
      refused: [{ node: his, reason: 'not_owner' }],
    });
    await world.clock.advance(100);
    expect(world.results()).toEqual({ [hers]: 'cancelled', [his]: 'continues' });
    expect(world.settled()[0]?.nodes.map(({ node }) => node)).toEqual([turn, hers]);
    await world.clock.advance(1_000);
    expect(world.heard.of('late_result')).toMatchObject([{ node: his, outcome: 'completed', effect: 'done' }]);
    expect(await world.session.nodes()).toEqual([]);
  });

  test("B stops his own call inside A's running turn, which goes on [owner.node] [cancel.tool]", async () => {
    const { world, turn, hers, his } = await shared();
    const answer = await world.cancel({ target: 'mine' }, bob);
    expect(answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [his], refused: [] } });
    await world.clock.advance(2_000);
    expect(world.results()).toEqual({ [hers]: 'completed', [his]: 'cancelled' });
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('what one plan refused, a later one stops, and is waited for again [owner.node] [cancel.settled]', async () => {
    const { world, turn, his } = await shared();
    await world.cancel({ target: turn });
    await world.clock.advance(1);
    await world.cancel({ target: turn }, bob);
    await world.clock.advance(1_000);
    expect(world.heard.of('cancel_accepted').map(({ stopping }) => stopping.includes(his))).toEqual([false, true]);
    expect(world.results()[his]).toBe('cancelled');
    expect(world.settled()).toHaveLength(2);
  });

  test('a moderator may stop everything [owner.guard]', async () => {
    const { world, turn } = await shared();
    expect(await world.cancel({ target: 'session' }, carol)).toMatchObject({
      type: 'cancel_accepted',
      receipt: { refused: [] },
    });
    await world.clock.advance(1_000);
    expect(world.end(turn)?.outcome).toBe('cancelled');
  });

  test('who is alone in the room may stop what another has left behind, but not while he may come back [owner.guard]', async () => {
    const { world, hers } = await shared();
    world.session.leave(world.alice.connection, 'lost');
    expect(await world.cancel({ target: hers }, bob)).toMatchObject({ type: 'cancel_refused' });
    const { world: other, hers: left } = await shared();
    other.session.leave(other.alice.connection, 'left');
    expect(await other.cancel({ target: left }, bob)).toMatchObject({ type: 'cancel_accepted' });
  });
});

test('in a text session anyone in the channel may stop the bot by default [owner.text]', async () => {
  const { world, turn } = await shared('anyone');
  expect(await world.cancel({ target: turn }, bob)).toMatchObject({
    type: 'cancel_accepted',
    receipt: { refused: [], by: 'bob' },
  });
  await world.clock.advance(1_000);
  expect(world.end(turn)?.outcome).toBe('cancelled');
});

test('a sub-agent of one owner below a turn of another is judged by itself [owner.node] [agent.tree]', async () => {
  const world = await createWorld({
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    session: () => ({ policy: 'owner' as const }),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    respond: (_, n) =>
      n === 0
        ? asks(['spawn_agent', { task: 'for bob' }], ['wait'])
        : n === 1
          ? asks(['wait', { ms: 100 }])
          : { steps: [{ text: 'ok' }] },
  });
  await world.session.join(bob, hear().listener, null);
  const turn = await world.say('words');
  await world.clock.advance(20);
  await world.cancel({ target: turn });
  await world.clock.advance(2_000);
  expect(world.results()[world.call('spawn_agent')]).toBe('continues');
  expect(world.heard.of('late_result')).toMatchObject([{ node: world.call('spawn_agent'), outcome: 'completed' }]);
});

test('standing is one pure function of node, speaker, evidence and policy [owner.guard]', () => {
  const node = { id: 'n', kind: 'turn', owner: 'alice', asks: null } as const;
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
