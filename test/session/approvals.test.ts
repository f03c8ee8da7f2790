// Approvals, and the questions of running calls: one answer wins, and a cancel withdraws them.

import { describe, expect, test } from 'vitest';
import { bindSession } from '../../src/embed/bound-session.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { asks, createWorld, hear, memberOf, once, says, toolOf, type World } from '../support/world.ts';

const bob = memberOf('bob');
const carol = memberOf('carol', ['moderator']);
const answerOf = (world: World, answer: 'approved' | 'denied', member = world.alice, name = 'risky') => {
  const given = world.session.answer(member, { target: world.call(name), answer, ref: 'a1' });
  return world.clock.advance(0).then(() => given);
};

describe('an approval', () => {
  const risky = (approval: Tool['approval'] = () => ({ text: 'May I?', to: 'bob', expiresMs: 1_000 })): Tool => ({
    ...toolOf('risky', async () => 'done it'),
    approval,
  });
  const asked = async (approval?: Tool['approval']) => {
    const world = await createWorld({
      tools: [risky(approval)],
      session: () => ({ policy: 'owner' as const }),
      respond: once(['risky'], ['wait', { ms: 100 }]),
    });
    await world.session.join(bob, hear().listener, null);
    const turn = await world.say('words');
    await world.clock.advance(150);
    return { world, turn };
  };

  test('is asked while its siblings run on, and a yes lets it run [ladder.call.approving] [owner.ask]', async () => {
    const { world, turn } = await asked();
    expect(world.heard.of('approval_requested')).toMatchObject([{ to: 'bob', text: 'May I?', expiresAt: 1_000 }]);
    expect(world.results()).toEqual({ [world.call('wait')]: 'completed' });
    expect(await answerOf(world, 'approved', world.alice)).toMatchObject({
      type: 'answer_refused',
      code: 'not_addressed',
    });
    expect(await answerOf(world, 'approved', bob)).toEqual({ type: 'answer_taken' });
    await world.clock.advance(2_000);
    expect(world.heard.of('approval_closed')).toMatchObject([{ answer: 'approved', by: 'bob', ref: 'a1' }]);
    expect(world.results()[world.call('risky')]).toBe('completed');
    const place = (type: string) => world.heard.facts.findLastIndex((fact) => fact.type === type);
    expect(place('approval_closed')).toBeLessThan(place('tool_started'));
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('who joins later is told of it, and of nothing when it is closed [owner.ask]', async () => {
    const { world } = await asked();
    const open = async (connection: string) => {
      const heard = hear();
      await world.session.join({ ...carol, connection }, heard.listener, null);
      return heard.joins.at(-1)?.questions;
    };
    expect(await open('second')).toEqual([
      {
        ...{ type: 'approval_requested', turn: world.heard.of('turn_opened')[0]?.turn, node: world.call('risky') },
        ...{ to: 'bob', text: 'May I?', expiresAt: 1_000 },
      },
    ]);
    await answerOf(world, 'approved', bob);
    expect(await open('third')).toEqual([]);
  });

  test('an emergency may answer for anybody, as it may stop anything [owner.ask]', async () => {
    const { world } = await asked();
    expect(await answerOf(world, 'denied', memberOf('guard', ['emergency']))).toEqual({ type: 'answer_taken' });
    expect(world.heard.of('approval_closed')).toMatchObject([{ answer: 'denied', by: 'guard' }]);
  });

  test('a no is a no, a late answer gets `expired`, a moderator may answer for anybody [ladder.call.approving]', async () => {
    const { world } = await asked();
    expect(await answerOf(world, 'denied', carol)).toEqual({ type: 'answer_taken' });
    await world.clock.advance(100);
    expect(world.heard.of('tool_result').at(-1)).toMatchObject({
      outcome: 'denied',
      effect: 'not_started',
      code: 'denied',
    });
    expect(await answerOf(world, 'approved', bob)).toMatchObject({ type: 'answer_refused', code: 'expired' });
    expect(world.heard.of('approval_closed')).toHaveLength(1);
  });

  test.each([
    { order: ['cancel', 'approved'], outcome: 'cancelled', closed: 'withdrawn' },
    { order: ['approved', 'cancel'], outcome: 'cancelled', closed: 'approved' },
    { order: ['denied', 'cancel'], outcome: 'denied', closed: 'denied' },
    { order: ['cancel', 'denied'], outcome: 'cancelled', closed: 'withdrawn' },
  ] as const)(
    '$order in one tick: one winner, and nothing runs [ladder.call.approving] [cancel.fence]',
    async ({ order, outcome, closed }) => {
      const { world, turn } = await asked();
      for (const what of order) {
        if (what === 'cancel') void world.session.cancel(world.alice, { target: turn });
        else void world.session.answer(bob, { target: world.call('risky'), answer: what });
      }
      await world.clock.advance(2_000);
      expect(world.heard.of('approval_closed')).toMatchObject([{ answer: closed }]);
      expect(world.results()[world.call('risky')]).toBe(outcome);
      expect(world.heard.of('tool_started').some(({ node }) => node === world.call('risky'))).toBe(false);
      expect(world.end(turn)?.outcome).toBe('cancelled');
    },
  );

  test('expires by the road of a CANCEL, and its expiry is void once it is answered [cancel.sources] [ladder.call.approving]', async () => {
    const { world, turn } = await asked();
    await world.clock.advance(2_000);
    expect(world.results()[world.call('risky')]).toBe('timed_out');
    expect(world.heard.of('approval_closed')).toMatchObject([{ answer: 'withdrawn', by: null }]);
    expect(world.end(turn)?.outcome).toBe('completed');
    const { world: other } = await asked();
    await answerOf(other, 'approved', bob);
    await other.clock.advance(5_000);
    expect(other.heard.of('cancel_accepted')).toEqual([]);
  });

  test('its addressee has standing over that call, not over the turn, and only while it is open [owner.ask] [owner.node]', async () => {
    const { world, turn } = await asked();
    const answer = await world.cancel({ target: turn }, bob);
    expect(answer).toMatchObject({
      type: 'cancel_accepted',
      receipt: { stopping: [world.call('risky')], refused: [{ node: turn }] },
    });
    await world.clock.advance(2_000);
    expect(world.end(turn)?.outcome).toBe('completed');
    const { world: other, turn: again } = await asked();
    await answerOf(other, 'approved', bob);
    expect(await other.cancel({ target: again }, bob)).not.toMatchObject({ type: 'cancel_accepted' });
  });

  test('the disconnect of its addressee cancels nothing that he was merely asked [owner.ask]', async () => {
    const { world } = await asked(() => ({ text: 'May I?', to: 'bob', expiresMs: 20_000 }));
    world.session.leave(bob.connection, 'lost');
    await world.clock.advance(10_000);
    expect(world.heard.of('approval_closed')).toEqual([]);
  });

  test('a crash withdraws it: the next life asks nobody [store.durable] [ladder.call.approving]', async () => {
    const { world } = await asked();
    const events = await world.log.read('s', 0);
    const next = await createWorld({ life: 2 });
    const epoch = await next.log.claim('other', 0, 'dead');
    await next.log.append(
      'other',
      epoch,
      0,
      events.map(({ body }) => body),
    );
    const session = await bindSession(next.runtime, 'other');
    const heard = hear();
    await session.join(next.alice, heard.listener, 0);
    expect(heard.of('approval_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(heard.of('tool_result').at(-1)).toMatchObject({ outcome: 'failed', effect: 'not_started' });
  });
});

describe('a question of a running call', () => {
  const asker = toolOf(
    'asker',
    async (_, { ask }) => `they said ${await ask({ text: 'Which?', choices: ['a', 'b'], to: 'bob' })}`,
    { timeoutMs: 500 },
  );

  test('has its answer, and the time of a person is not the time of the tool [ladder.ask] [tool.timeout]', async () => {
    const world = await createWorld({ tools: [asker], respond: once(['asker']) });
    await world.session.join(bob, hear().listener, null);
    const turn = await world.say('words');
    await world.clock.advance(3_000);
    expect(world.heard.of('question_asked')).toMatchObject([{ to: 'bob', choices: ['a', 'b'] }]);
    const answered = world.session.answer(bob, { target: world.call('asker'), answer: 'answered', text: 'a' });
    await world.clock.advance(100);
    expect(await answered).toEqual({ type: 'answer_taken' });
    expect(world.heard.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'they said a' }]);
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('is withdrawn on every screen when its call is stopped [ladder.ask] [owner.ask]', async () => {
    const world = await createWorld({
      tools: [asker],
      respond: once(['asker']),
      session: () => ({ policy: 'owner' as const }),
    });
    const screen = hear();
    await world.session.join(bob, screen.listener, null);
    const turn = await world.say('words');
    await world.clock.advance(100);
    await world.cancel({ target: 'session' }, bob); // the addressee's standing covers the call
    await world.clock.advance(2_000);
    for (const heard of [world.heard, screen])
      expect(heard.of('question_closed')).toMatchObject([{ answer: 'withdrawn', text: null }]);
    expect(world.results()).toEqual({ [world.call('asker')]: 'cancelled' });
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('is one at a time: the next is put when the one before is closed [ladder.ask]', async () => {
    const both = toolOf('asker', async (_, { ask }) =>
      (await Promise.all([ask({ text: 'First?' }), ask({ text: 'Second?' })])).join(),
    );
    const world = await createWorld({ tools: [both], respond: once(['asker']) });
    await world.say('words');
    await world.clock.advance(50);
    const say = (text: string) => {
      const given = world.session.answer(world.alice, { target: world.call('asker'), answer: 'answered', text });
      return world.clock.advance(50).then(() => given);
    };
    expect(world.heard.of('question_asked').map(({ text }) => text)).toEqual(['First?']);
    expect(await say('one')).toEqual({ type: 'answer_taken' });
    expect(world.heard.of('question_asked').map(({ text }) => text)).toEqual(['First?', 'Second?']);
    expect(await say('two')).toEqual({ type: 'answer_taken' });
    expect(world.heard.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'one,two' }]);
    expect(world.heard.of('question_closed')).toHaveLength(2);
  });

  test('those that wait are never put when the call is stopped [ladder.ask]', async () => {
    const both = toolOf('asker', async (_, { ask }) =>
      (await Promise.allSettled([ask({ text: 'First?' }), ask({ text: 'Second?' })]))
        .map(({ status }) => status)
        .join(),
    );
    const world = await createWorld({ tools: [both], respond: once(['asker']) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: turn });
    await world.clock.advance(2_000);
    expect(world.heard.of('question_asked')).toHaveLength(1);
    expect(world.heard.of('question_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(world.results()).not.toEqual({ [world.call('asker')]: 'abandoned' });
  });

  test('does not outlive a call that has not waited for it [ladder.ask]', async () => {
    const hasty = toolOf('asker', async (_, { ask, clock }) =>
      Promise.race([
        ask({ text: 'Well?' }).catch(() => 'withdrawn'),
        new Promise<string>((done) => void clock.after(100, () => done('gave up'))),
      ]),
    );
    const world = await createWorld({ tools: [hasty], respond: once(['asker']) });
    await world.say('words');
    await world.clock.advance(1_000);
    expect(world.heard.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'gave up' }]);
    expect(world.heard.of('question_closed')).toMatchObject([{ answer: 'withdrawn' }]);
  });

  test.each([
    { name: 'its sub-agent’s timeout', limits: {}, spawned: { _meta: { timeout: 1_000 } } },
    { name: 'the deadline of the turn', limits: { turnMs: 2_000 }, spawned: {} },
  ])(
    'stops $name as long as a person is waited for, and no longer [ladder.ask] [tool.timeout]',
    async ({ limits, spawned }) => {
      const slow = toolOf('asker', async (_, { ask, clock, signal }) => {
        await ask({ text: 'Well?', to: 'alice' });
        return new Promise((done) => {
          signal.addEventListener('abort', () => done({ kind: 'stopped', output: '' }));
          clock.after(60_000, () => done('done'));
        });
      });
      const world = await createWorld({
        tools: [slow],
        limits,
        agents: { helper: { description: 'helps', instructions: 'Help.' } },
        respond: (_, n) =>
          n === 0 ? asks(['spawn_agent', { task: 'x', ...spawned }]) : n === 1 ? asks(['asker']) : says('ok'),
      });
      const turn = await world.say('words');
      await world.clock.advance(60_000);
      expect(world.heard.of('tool_result')).toEqual([]);
      void world.session.answer(world.alice, { target: world.call('asker'), answer: 'answered', text: 'well' });
      await world.clock.advance(500);
      expect(world.heard.of('tool_result')).toEqual([]);
      await world.clock.advance(5_000);
      expect(world.results()[world.call('asker')]).toBe('timed_out');
      expect(world.end(turn)?.outcome).toBe('turnMs' in limits ? 'timed_out' : 'completed');
    },
  );
});
