// A CANCEL in each phase of the ladder, through the whole runtime under a virtual clock.
import { describe, expect, test } from 'vitest';
import { asks, createWorld, once, says } from '../support/world.ts';

describe('a turn', () => {
  test('queued: it leaves the queue, no model call is made, the words stay [ladder.turn.queued] [cancel.latch]', async () => {
    const world = await createWorld({ respond: () => says('one', 'two', 'three') });
    const first = await world.say('first');
    const second = await world.say('second');
    await world.cancel({ target: second });
    await world.clock.advance(1_000);
    expect(world.end(first)?.outcome).toBe('completed');
    expect(world.end(second)).toMatchObject({ outcome: 'cancelled', effect: 'not_started' });
    expect(world.provider.requests).toHaveLength(1);
    expect(world.heard.of('turn_opened').map(({ text }) => text)).toEqual(['first', 'second']);
  });

  test('preparing: the context that is being built is dropped, the words stay [ladder.turn.preparing] [cancel.latch]', async () => {
    const world = await createWorld({ buildContext: () => new Promise(() => {}) }); // deaf: the bound ends it
    const turn = await world.say('words');
    await world.cancel({ target: turn });
    await world.clock.advance(1_000);
    expect(world.end(turn)).toMatchObject({ outcome: 'cancelled', effect: 'none' });
    expect(world.provider.requests).toHaveLength(0);
    expect(world.settled()).toHaveLength(1);
  });

  test('generating: the text so far stays, marked cut off, and nothing of it is sent later [ladder.turn.generating] [history.partial] [cancel.accepted]', async () => {
    const world = await createWorld({ respond: () => says('one ', 'two ', 'three ') });
    const turn = await world.say('words');
    await world.clock.advance(25);
    await world.cancel({ target: turn });
    const cutAt = world.clock.now();
    await world.clock.advance(1_000);
    expect(world.heard.of('model_ended')[0]).toMatchObject({ text: 'one two ', cutOff: true, outcome: 'cancelled' });
    expect(world.heard.texts.map(({ text }) => text).join('')).toBe('one two ');
    expect(world.heard.texts.every(({ at }) => at <= cutAt)).toBe(true);
    const place = (type: string) => world.index((fact) => fact.type === type);
    expect(place('cancel_accepted')).toBeLessThan(place('model_ended'));
    expect(place('model_ended')).toBeLessThan(place('turn_ended'));
    expect(place('turn_ended')).toBeLessThan(place('cancel_settled'));
  });

  test('generating: whole calls are kept and settled as not started, half ones are dropped [ladder.turn.generating] [history.effect]', async () => {
    const call = { callId: 'p', name: 'wait', arguments: '{}' };
    const world = await createWorld({ respond: () => ({ steps: [{ text: 'I will ' }, { call }, { hang: true }] }) });
    const turn = await world.say('words');
    await world.clock.advance(10);
    await world.cancel({ target: turn });
    await world.clock.advance(1_000);
    expect(world.heard.of('tool_call')).toHaveLength(1);
    expect(world.heard.of('tool_started')).toHaveLength(0);
    expect(world.heard.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    expect(world.end(turn)?.outcome).toBe('cancelled');
    expect(world.ran).toEqual([]);
  });

  test('dispatching: the write is completed first, then every call is settled as not started [ladder.turn.dispatching]', async () => {
    const world = await createWorld({ respond: once(['wait'], ['wait']) });
    // the CANCEL is sprung when the calls have been numbered and before their commit is told
    const { append } = world.log;
    let sprung: Promise<unknown> | null = null;
    world.log.append = async (session, epoch, seq, bodies) => {
      if (!sprung && bodies.some(({ type }) => type === 'tool_call'))
        sprung = world.session.cancel(world.alice, { target: 'session' });
      await sprung?.constructor; // not awaited: the answer comes with a later commit
      return append.call(world.log, session, epoch, seq, bodies);
    };
    const turn = await world.say('words');
    await world.clock.advance(1_000);
    expect(world.heard.of('tool_call')).toHaveLength(2);
    expect(world.heard.of('tool_result').map(({ outcome, effect }) => [outcome, effect])).toEqual([
      ['cancelled', 'not_started'],
      ['cancelled', 'not_started'],
    ]);
    expect(world.ran).toEqual([]);
    expect(world.end(turn)?.outcome).toBe('cancelled');
  });

  test('acting: every open child is told, finished results stay, the model is not called again [ladder.turn.acting] [cancel.boundaries]', async () => {
    const world = await createWorld({ respond: once(['note'], ['wait'], ['keyed'], ['keyed']) });
    const turn = await world.say('words');
    await world.clock.advance(100);
    await world.cancel({ target: turn });
    await world.clock.advance(2_000);
    expect(world.results()).toEqual({
      [world.call('note')]: 'completed',
      [world.call('wait')]: 'cancelled',
      [world.call('keyed', 0)]: 'cancelled',
      [world.call('keyed', 1)]: 'cancelled',
    });
    expect(world.heard.of('tool_result').find(({ node }) => node === world.call('keyed', 1))?.effect).toBe(
      'not_started',
    );
    expect(world.provider.requests).toHaveLength(1);
    expect(world.end(turn)?.outcome).toBe('cancelled');
  });

  test('between results and the next model call it settles at once, results stay [ladder.turn.between]', async () => {
    let builds = 0;
    const world = await createWorld({
      respond: once(['note']),
      buildContext: ({ messages }) => (++builds === 2 ? new Promise(() => {}) : Promise.resolve(messages)),
    });
    const turn = await world.say('words');
    await world.clock.advance(100);
    expect(builds).toBe(2);
    await world.cancel({ target: turn });
    await world.clock.advance(1_000);
    expect(world.results()).toEqual({ [world.call('note')]: 'completed' });
    expect(world.end(turn)?.outcome).toBe('cancelled');
    expect(world.provider.requests).toHaveLength(1);
  });

  test('settling: the outcome is fixed [ladder.turn.settling] [cancel.exact]', async () => {
    const world = await createWorld();
    const { append } = world.log;
    let answer: Promise<unknown> | null = null;
    world.log.append = async (session, epoch, seq, bodies) => {
      const closing = bodies.find(({ type }) => type === 'turn_ended');
      if (closing && !answer)
        answer = world.session.cancel(world.alice, { target: (closing as { turn?: string }).turn ?? '' });
      return append.call(world.log, session, epoch, seq, bodies);
    };
    const turn = await world.say('words');
    await world.clock.advance(1_000);
    expect(await answer).toMatchObject({ type: 'already_settled', receipt: null });
    expect(world.end(turn)?.outcome).toBe('completed');
  });
});

describe('a tool call', () => {
  test('queued behind an exclusive one: it leaves the queue, not started [ladder.call.queued] [cancel.tool]', async () => {
    const world = await createWorld({
      respond: once(['keyed', { ms: 300 }], ['keyed', { ms: 300 }], ['keyed', { ms: 300 }]),
    });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: world.call('keyed', 1) });
    await world.clock.advance(2_000);
    expect(world.heard.of('tool_result').find(({ node }) => node === world.call('keyed', 1))).toMatchObject({
      outcome: 'cancelled',
      effect: 'not_started',
    });
    expect(world.ran).toEqual([world.call('keyed', 0), world.call('keyed', 2)]);
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('running: its signal fires, what it had put out stays, siblings run on and the turn goes on [ladder.call.running] [cancel.tool] [tool.signal]', async () => {
    const world = await createWorld({ respond: once(['wait'], ['wait', { ms: 200 }]) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: world.call('wait') });
    await world.clock.advance(1_000);
    expect(world.signals).toEqual([world.call('wait')]);
    expect(world.heard.of('tool_result')).toMatchObject([
      { node: world.call('wait'), outcome: 'cancelled', effect: 'unknown', output: 'stopped after work' },
      { node: world.call('wait', 1), outcome: 'completed', effect: 'done' },
    ]);
    expect(world.end(turn)?.outcome).toBe('completed');
    expect(world.provider.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });
});

describe('a sub-agent', () => {
  const agents = { helper: { description: 'helps', instructions: 'Help.' } };

  test('delegating: the CANCEL reaches its turn, its partial report is handed to the parent [ladder.agent.delegating] [agent.tree]', async () => {
    const world = await createWorld({
      agents,
      respond: ({ messages }, n) => {
        if (n === 0) return asks(['spawn_agent', { task: 'look around' }], ['note']);
        return messages.some(({ content }) => content.includes('look around')) && messages.at(-1)?.role === 'user'
          ? { steps: [{ text: 'So far I ' }, { hang: true }] }
          : says('done');
      },
    });
    const turn = await world.say('words');
    await world.clock.advance(100);
    await world.cancel({ target: world.call('spawn_agent') });
    await world.clock.advance(1_000);
    expect(world.heard.of('tool_result').find(({ node }) => node === world.call('spawn_agent'))).toMatchObject({
      outcome: 'cancelled',
      output: 'So far I ',
    });
    expect(world.heard.of('turn_ended').map(({ outcome }) => outcome)).toEqual(['cancelled', 'completed']);
    expect(world.end(turn)?.outcome).toBe('completed');
  });
});
