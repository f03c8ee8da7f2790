// What stands between a call and its work: interceptors, approvals, supersession; and what a running call may ask or shield.
import { describe, expect, test } from 'vitest';
import type { InterceptorVerdict } from '../../src/actors/plane.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { asks, createWorld, hear, memberOf, once, says, toolOf, type World } from '../support/world.ts';

const bob = memberOf('bob');
const carol = memberOf('carol', ['moderator']);
const answerOf = (world: World, answer: 'approved' | 'denied', member = world.alice, name = 'risky') => {
  const given = world.session.answer(member, { target: world.call(name), answer, ref: 'a1' });
  return world.clock.advance(0).then(() => given);
};

describe('an interceptor', () => {
  const screened = (verdict: InterceptorVerdict | undefined, waitMs = 20) => {
    const seen: unknown[] = [];
    const ended: string[] = [];
    const world = createWorld({
      interceptors: [
        {
          async beforeTool(call) {
            seen.push(call.arguments);
            await new Promise<void>((done) => void timer(waitMs, done));
            return verdict;
          },
          afterTool: ({ name, outcome }) => ended.push(`${name} ${outcome}`),
        },
      ],
      respond: once(['wait', { ms: 50 }]),
    });
    let timer: (ms: number, fn: () => void) => void = () => {};
    return world.then((it) => {
      timer = it.clock.after;
      return { world: it, seen, ended };
    });
  };

  test.each([
    { name: 'allows', verdict: { do: 'allow' }, outcome: 'completed', effect: 'done', ran: 1 },
    { name: 'says nothing', verdict: undefined, outcome: 'completed', effect: 'done', ran: 1 },
    {
      name: 'answers',
      verdict: { do: 'answer', output: 'from a cache' },
      outcome: 'completed',
      effect: 'none',
      ran: 0,
    },
    { name: 'denies', verdict: { do: 'deny', reason: 'not today' }, outcome: 'denied', effect: 'not_started', ran: 0 },
  ] as const)('$name: $outcome, $effect, seen once [tool.before]', async ({ verdict, outcome, effect, ran }) => {
    const { world, seen, ended } = await screened(verdict);
    const turn = await world.say('words');
    await world.clock.advance(2_000);
    expect(world.heard.of('tool_result')).toMatchObject([{ outcome, effect }]);
    expect(world.ran).toHaveLength(ran);
    expect(seen).toEqual([{ ms: 50 }]);
    expect(ended).toEqual([`wait ${outcome}`]);
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('changes what is called; the model goes on seeing its own words [tool.before]', async () => {
    const { world } = await screened({ do: 'change', arguments: { ms: 400 } });
    await world.say('words');
    await world.clock.advance(300);
    expect(world.heard.of('tool_changed')).toMatchObject([{ arguments: '{"ms":400}' }]);
    expect(world.heard.of('tool_result')).toEqual([]);
    await world.clock.advance(2_000);
    expect(world.heard.of('tool_result')).toMatchObject([{ outcome: 'completed', ms: 400 }]);
    const call = world.provider.requests.at(-1)?.messages.find((message) => message.role === 'assistant');
    expect(call).toMatchObject({ calls: [{ arguments: '{"ms":50}' }] });
  });

  test.each(['allow', 'deny'] as const)(
    'a cancel meanwhile never counts as %s [tool.before] [ladder.call.screening]',
    async (verdict) => {
      const { world } = await screened(verdict === 'allow' ? { do: 'allow' } : { do: 'deny', reason: 'no' }, 300);
      const turn = await world.say('words');
      await world.clock.advance(50);
      await world.cancel({ target: turn });
      await world.clock.advance(2_000);
      expect(world.ran).toEqual([]);
      expect(world.heard.of('tool_started')).toEqual([]);
      expect(world.heard.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    },
  );

  test('that never answers is abandoned, not started [ladder.call.screening] [cancel.bounded]', async () => {
    const world = await createWorld({
      interceptors: [{ beforeTool: () => new Promise(() => {}) }],
      respond: once(['wait']),
    });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: turn });
    await world.clock.advance(2_000);
    expect(world.settled()[0]?.nodes[1]).toMatchObject({ outcome: 'abandoned', effect: 'not_started' });
  });

  test('that throws fails the call, not the turn [tool.before]', async () => {
    const world = await createWorld({
      interceptors: [{ beforeTool: () => Promise.reject(new Error('broken')) }],
      respond: once(['wait']),
    });
    const turn = await world.say('words');
    await world.clock.advance(2_000);
    expect(world.heard.of('tool_result')).toMatchObject([
      { outcome: 'failed', effect: 'not_started', message: 'Error: broken' },
    ]);
    expect(world.end(turn)?.outcome).toBe('completed');
  });
});

describe('an interceptor of a delegation', () => {
  const delegated = (verdict: () => Promise<InterceptorVerdict>) =>
    createWorld({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      interceptors: [
        { beforeTool: ({ name }) => (name === 'spawn_agent' ? verdict() : Promise.resolve({ do: 'allow' as const })) },
      ],
      respond: once(['spawn_agent', { task: 'look around' }]),
    });

  test('may deny it, and may change its task [tool.before] [agent.tree]', async () => {
    const denied = await delegated(async () => ({ do: 'deny', reason: 'no agents today' }));
    const turn = await denied.say('words');
    await denied.clock.advance(1_000);
    expect(denied.heard.of('tool_result')).toMatchObject([
      { outcome: 'denied', effect: 'not_started', message: 'no agents today' },
    ]);
    expect(denied.heard.of('turn_started')).toHaveLength(1);
    expect(denied.end(turn)?.outcome).toBe('completed');
    const changed = await delegated(async () => ({ do: 'change', arguments: { task: 'look elsewhere' } }));
    await changed.say('words');
    await changed.clock.advance(1_000);
    expect(changed.heard.of('turn_started').at(-1)).toMatchObject({ text: 'look elsewhere' });
    expect(changed.session.nodes()).toEqual([]);
  });

  test('a cancel meanwhile never counts as allow, and one that never answers is abandoned [ladder.call.screening] [cancel.bounded]', async () => {
    const world = await delegated(() => new Promise(() => {}));
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: turn });
    await world.clock.advance(2_000);
    expect(world.settled()[0]?.nodes).toMatchObject([
      { outcome: 'cancelled' },
      { kind: 'sub-agent', outcome: 'abandoned', effect: 'not_started' },
    ]);
    expect(world.heard.of('turn_started')).toHaveLength(1);
  });
});

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
    const session = await next.runtime.session('other');
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
});

describe('supersession', () => {
  const only = (world: Partial<Parameters<typeof createWorld>[0]> = {}) => {
    const look: Tool = {
      ...toolOf(
        'look',
        (input, { clock, signal }) =>
          new Promise((resolve) => {
            clock.after(Number(input['ms']), () => resolve('seen'));
            signal.addEventListener('abort', () => clock.after(50, () => resolve({ kind: 'stopped', output: '' })));
          }),
      ),
      supersedes: () => 'view',
    };
    return createWorld({ tools: [look], session: () => ({ policy: 'owner' as const }), ...world });
  };

  test('a newer call of the same owner takes the place of the earlier one, and begins when that has settled [tool.supersede] [cancel.sources]', async () => {
    const world = await only({ respond: once(['look', { ms: 900 }], ['look', { ms: 100 }]) });
    const turn = await world.say('words');
    await world.clock.advance(3_000);
    expect(world.heard.of('tool_result').map(({ node, outcome }) => [node, outcome])).toEqual([
      [world.call('look', 0), 'superseded'],
      [world.call('look', 1), 'completed'],
    ]);
    const place = (type: string, node: string) =>
      world.index((fact) => fact.type === type && 'node' in fact && fact.node === node);
    expect(place('tool_result', world.call('look', 0))).toBeLessThan(place('tool_started', world.call('look', 1)));
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test("another's is denied [tool.supersede]", async () => {
    const world = await only({
      respond: once(['look', { ms: 900, of: 'bob' }], ['look', { ms: 100 }]),
      ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    });
    await world.session.join(bob, hear().listener, null);
    await world.say('words');
    await world.clock.advance(3_000);
    expect(world.results()).toEqual({ [world.call('look', 0)]: 'completed', [world.call('look', 1)]: 'denied' });
  });
});

describe('a shield', () => {
  const commit = (regionMs: number, maxMs: number): Tool => ({
    ...toolOf(
      'commit',
      async (_, { shield, clock, signal }) => {
        const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));
        await shield(() => pause(regionMs));
        if (signal.aborted) return { kind: 'stopped', output: 'written, then stopped' };
        await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
        return { kind: 'stopped', output: 'stopped' };
      },
      { cancel: 'shielded', shieldMaxMs: 1_000 },
    ),
    shieldMaxMs: maxMs,
  });

  test.each([
    { name: 'at its end', regionMs: 300, maxMs: 1_000, ms: 300 },
    { name: 'at its maximum', regionMs: 3_000, maxMs: 1_000, ms: 1_000 },
  ])(
    'a cut meanwhile is pending with the bound, and takes effect $name [cancel.shield]',
    async ({ regionMs, maxMs, ms }) => {
      const world = await createWorld({ tools: [commit(regionMs, maxMs)], respond: once(['commit']) });
      const turn = await world.say('words');
      await world.clock.advance(0);
      const began = world.clock.now();
      await world.cancel({ target: turn });
      expect(world.heard.of('cancel_accepted')).toMatchObject([
        { stopping: [turn], pending: [world.call('commit')], pendingMs: maxMs },
      ]);
      await world.clock.advance(ms - 1);
      expect(world.settled()).toEqual([]);
      await world.clock.advance(2_600);
      expect(world.settled()[0]?.nodes[1]).toMatchObject({
        node: world.call('commit'),
        outcome: regionMs > 2_500 ? 'abandoned' : 'cancelled',
      });
      expect(world.clock.now()).toBeGreaterThan(began + ms);
    },
  );

  test('force does not open it, and no region begins behind the cut [cancel.shield] [cancel.fence]', async () => {
    const world = await createWorld({ tools: [commit(300, 1_000)], respond: once(['commit']) });
    const turn = await world.say('words');
    await world.clock.advance(0);
    await world.cancel({ target: turn, force: true });
    await world.clock.advance(290);
    expect(world.settled()).toEqual([]);
    await world.clock.advance(100);
    expect(world.settled()[0]?.nodes[1]).toMatchObject({ outcome: 'cancelled' });
    const late: Tool = {
      ...toolOf(
        'late',
        async (_, { shield, signal }) => {
          await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
          return shield(async () => 'committed all the same');
        },
        { cancel: 'shielded', shieldMaxMs: 1_000 },
      ),
      shieldMaxMs: 1_000,
    };
    const other = await createWorld({ tools: [late], respond: once(['late']) });
    const next = await other.say('words');
    await other.clock.advance(50);
    await other.cancel({ target: next });
    await other.clock.advance(2_000);
    expect(other.results()).toEqual({ [other.call('late')]: 'cancelled' });
    expect(other.heard.of('tool_result')[0]?.output).toBeUndefined();
  });

  test('a session that is not interruptible answers `pending` until its turn has ended, within the bound [cancel.shield] [cli.chat]', async () => {
    const spec = () => ({ interruptible: false });
    const world = await createWorld({ session: spec, respond: () => says('one ', 'two ', 'three ') });
    const turn = await world.say('words');
    await world.clock.advance(15);
    const answer = await world.cancel({ target: turn });
    expect(answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [], pending: [turn] } });
    await world.clock.advance(2_000);
    expect(world.heard.of('model_ended')[0]?.outcome, 'the request was not closed').toBe('completed');
    expect(world.end(turn)?.outcome).toBe('cancelled');
    const slow = await createWorld({
      session: spec,
      respond: once(['wait', { ms: 60_000 }]),
      limits: { shieldMs: 3_000 },
    });
    const long = await slow.say('words');
    await slow.clock.advance(100);
    await slow.cancel({ target: long });
    await slow.clock.advance(2_800);
    expect(slow.settled()).toEqual([]);
    await slow.clock.advance(500);
    expect(slow.end(long)?.outcome).toBe('cancelled');
  });
});

describe('a call that runs long', () => {
  test('is told every five seconds past five [tool.progress]', async () => {
    const world = await createWorld({ respond: once(['wait', { ms: 12_000 }]) });
    await world.say('words');
    await world.clock.advance(20_000);
    expect(world.heard.progress).toEqual([5_000, 10_000].map((elapsedMs) => ({ node: world.call('wait'), elapsedMs })));
  });

  test('a hint of the model bounds it, within the maximum; the result names the tool and the seconds [tool.timeout]', async () => {
    const world = await createWorld({ respond: once(['wait', { ms: 60_000, _meta: { timeout: 700 } }]) });
    const turn = await world.say('words');
    await world.clock.advance(5_000);
    expect(world.heard.of('tool_timeout')).toMatchObject([{ node: world.call('wait'), ms: 700 }]);
    expect(world.results()).toEqual({ [world.call('wait')]: 'timed_out' });
    const told = world.provider.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(told).toContain('wait was stopped after 0.7 s');
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('a timeout by configuration stands instead of the tool’s own; a sub-agent may have one [tool.timeout] [cancel.sources]', async () => {
    const world = await createWorld({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      toolTimeouts: { wait: 400 },
      respond: (_, n) =>
        n === 0
          ? asks(['wait', { ms: 5_000 }], ['spawn_agent', { task: 'x', _meta: { timeout: 900 } }])
          : n === 1
            ? { steps: [{ hang: true }] }
            : says('ok'),
    });
    await world.say('words');
    await world.clock.advance(5_000);
    expect(world.results()).toEqual({ [world.call('wait')]: 'timed_out', [world.call('spawn_agent')]: 'timed_out' });
    expect(world.heard.of('tool_timeout').map(({ ms }) => ms)).toEqual([400, 900]);
  });
});

test('the same call with the same arguments is denied past its limit, timed-out ones counted, order and spaces aside [tool.loop]', async () => {
  const spelled = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }', '{"a":1,"b":2}', '{"a":1,"b":3}'];
  const world = await createWorld({
    respond: (_, n) => {
      const text = spelled[n];
      return text === undefined ? says('done') : { steps: [{ call: { callId: 'p', name: 'note', arguments: text } }] };
    },
  });
  const turn = await world.say('words');
  await world.clock.advance(1_000);
  expect(world.heard.of('tool_result').map(({ outcome, code }) => code ?? outcome)).toEqual([
    'completed',
    'completed',
    'completed',
    'loop_limit',
    'completed',
  ]);
  expect(world.heard.of('tool_result')[3]).toMatchObject({ outcome: 'denied', effect: 'not_started' });
  expect(world.end(turn)?.outcome).toBe('completed');
});

test('a tool can look at its turn, and stop a detached agent of its own, but not a stranger’s [tool.status] [agent.tree]', async () => {
  const said: unknown[] = [];
  const look = toolOf('look', async (_, { status }) => JSON.stringify(said.push(status()) && 'ok'));
  const stop = toolOf('stop', async (input, { cancelAgent }) => cancelAgent(String(input['agent']), 'not needed'));
  const world = await createWorld({
    tools: [look, stop],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: ({ messages }, n) => {
      if (n === 0) return asks(['spawn_agent', { task: 'x', detached: true }], ['note'], ['look']);
      if (messages.some(({ content }) => content.endsWith('x') && content.length < 3))
        return { steps: [{ hang: true }] };
      const agent = /turn_\d+/.exec(messages.find(({ role }) => role === 'tool')?.content ?? '')?.[0];
      return messages.filter(({ role }) => role === 'tool').length < 5
        ? asks(['stop', { agent }], ['stop', { agent: 'turn_nowhere' }])
        : says('ok');
    },
  });
  await world.say('words');
  await world.clock.advance(3_000);
  expect(said[0]).toMatchObject({
    modelCalls: 1,
    timeouts: 0,
    calls: [{ name: 'spawn_agent', state: 'completed' }, { name: 'note' }, { name: 'look', state: 'running' }],
  });
  const outputs = world.heard.of('tool_result').map(({ output }) => output);
  expect(outputs.slice(3, 5).toSorted()).toEqual(['already_settled', 'cancelled']);
  expect(world.heard.of('turn_ended').map(({ outcome }) => outcome)).toContain('cancelled');
});

test('cleanup runs once when a running call is stopped, is waited for, and may throw [tool.contract]', async () => {
  const cleaned: string[] = [];
  const tidy: Tool = {
    ...toolOf(
      'tidy',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ),
    async cleanup(cause) {
      cleaned.push(cause.source);
      throw new Error('a mess');
    },
  };
  const world = await createWorld({ tools: [tidy], respond: once(['tidy'], ['note']) });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn });
  await world.cancel({ target: turn });
  await world.clock.advance(2_000);
  expect(cleaned).toEqual(['client']);
  expect(world.warnings).toContain('the cleanup of tidy threw');
  expect(world.results()[world.call('tidy')]).toBe('cancelled');
});
