// A CANCEL in each phase of a turn, a call and a sub-agent, through the whole runtime under a virtual clock.
import { describe, expect, test } from 'vitest';
import { callsOnce, callsResponse, startHarness, textResponse } from '../../support/harness.ts';

describe('a turn', () => {
  test('queued: it leaves the queue, no model call is made, the words stay [ladder.turn.queued] [cancel.latch]', async () => {
    const harness = await startHarness({ respond: () => textResponse('one', 'two', 'three') });
    const first = await harness.say('first');
    const second = await harness.say('second');
    await harness.cancel({ target: second });
    await harness.clock.advance(1_000);
    expect(harness.endOf(first)?.outcome).toBe('completed');
    expect(harness.endOf(second)).toMatchObject({ outcome: 'cancelled', effect: 'not_started' });
    expect(harness.provider.requests).toHaveLength(1);
    expect(harness.recorder.of('turn_opened').map(({ text }) => text)).toEqual(['first', 'second']);
  });

  test('preparing: the request that is being built is dropped, the words stay [ladder.turn.preparing] [cancel.latch]', async () => {
    const harness = await startHarness({ buildContext: () => new Promise(() => {}) }); // it ignores the signal: the timeout ends it
    const turn = await harness.say('words');
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled', effect: 'none' });
    expect(harness.provider.requests).toHaveLength(0);
    expect(harness.settledReceipts()).toHaveLength(1);
  });

  test('generating: the text so far stays, marked cut off, and no more of it is sent [ladder.turn.generating] [history.partial] [cancel.accepted]', async () => {
    const harness = await startHarness({ respond: () => textResponse('one ', 'two ', 'three ') });
    const turn = await harness.say('words');
    await harness.clock.advance(25);
    await harness.cancel({ target: turn });
    const cutAt = harness.clock.now();
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('model_ended')[0]).toMatchObject({
      text: 'one two ',
      cutOff: true,
      outcome: 'cancelled',
    });
    expect(harness.recorder.texts.map(({ text }) => text).join('')).toBe('one two ');
    expect(harness.recorder.texts.every(({ at }) => at <= cutAt)).toBe(true);
    const place = (type: string) => harness.index((fact) => fact.type === type);
    expect(place('cancel_accepted')).toBeLessThan(place('model_ended'));
    expect(place('model_ended')).toBeLessThan(place('turn_ended'));
    expect(place('turn_ended')).toBeLessThan(place('cancel_settled'));
  });

  test('generating: whole calls are kept and settled as not started, half ones are dropped [ladder.turn.generating] [history.effect]', async () => {
    const call = { callId: 'p', name: 'wait', arguments: '{}' };
    const harness = await startHarness({ respond: () => ({ steps: [{ text: 'I will ' }, { call }, { hang: true }] }) });
    const turn = await harness.say('words');
    await harness.clock.advance(10);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_call')).toHaveLength(1);
    expect(harness.recorder.of('tool_started')).toHaveLength(0);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    expect(harness.entered).toEqual([]);
  });

  test('dispatching: the write is completed first, then every call is settled as not started [ladder.turn.dispatching]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait'], ['wait']) });
    // the CANCEL comes when the calls have their sequence numbers and before their commit is reported
    const { append } = harness.log;
    let sprung: Promise<unknown> | null = null;
    harness.log.append = async (session, epoch, seq, bodies) => {
      if (!sprung && bodies.some(({ type }) => type === 'tool_call'))
        sprung = harness.session.cancel(harness.alice, { target: 'session' });
      await sprung?.constructor; // not awaited: the reply comes with a later commit
      return append.call(harness.log, session, epoch, seq, bodies);
    };
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_call')).toHaveLength(2);
    expect(harness.recorder.of('tool_result').map(({ outcome, effect }) => [outcome, effect])).toEqual([
      ['cancelled', 'not_started'],
      ['cancelled', 'not_started'],
    ]);
    expect(harness.entered).toEqual([]);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  });

  test('acting: every open child gets the CANCEL, finished results stay, the model is not called again [ladder.turn.acting] [cancel.boundaries]', async () => {
    const harness = await startHarness({ respond: callsOnce(['note'], ['wait'], ['keyed'], ['keyed']) });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toEqual({
      [harness.callNamed('note')]: 'completed',
      [harness.callNamed('wait')]: 'cancelled',
      [harness.callNamed('keyed', 0)]: 'cancelled',
      [harness.callNamed('keyed', 1)]: 'cancelled',
    });
    expect(harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('keyed', 1))?.effect).toBe(
      'not_started',
    );
    expect(harness.provider.requests).toHaveLength(1);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  });

  test('between results and the next model call it settles at once, results stay [ladder.turn.between]', async () => {
    let builds = 0;
    const harness = await startHarness({
      respond: callsOnce(['note']),
      buildContext: ({ messages }) => (++builds === 2 ? new Promise(() => {}) : Promise.resolve(messages)),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    expect(builds).toBe(2);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('note')]: 'completed' });
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    expect(harness.provider.requests).toHaveLength(1);
  });

  test('settling: the outcome is fixed [ladder.turn.settling] [cancel.exact]', async () => {
    const harness = await startHarness();
    const { append } = harness.log;
    let answer: Promise<unknown> | null = null;
    harness.log.append = async (session, epoch, seq, bodies) => {
      const closing = bodies.find(({ type }) => type === 'turn_ended');
      if (closing && !answer)
        answer = harness.session.cancel(harness.alice, { target: (closing as { turn?: string }).turn ?? '' });
      return append.call(harness.log, session, epoch, seq, bodies);
    };
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(await answer).toMatchObject({ type: 'already_settled', receipt: null });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });
});

describe('a tool call', () => {
  test('queued for an exclusive key: it leaves the queue, not started [ladder.call.queued] [cancel.tool]', async () => {
    const harness = await startHarness({
      respond: callsOnce(['keyed', { ms: 300 }], ['keyed', { ms: 300 }], ['keyed', { ms: 300 }]),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: harness.callNamed('keyed', 1) });
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('keyed', 1))).toMatchObject(
      {
        outcome: 'cancelled',
        effect: 'not_started',
      },
    );
    expect(harness.entered).toEqual([harness.callNamed('keyed', 0), harness.callNamed('keyed', 2)]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('running: its signal fires, its output so far stays, its siblings and the turn run on [ladder.call.running] [cancel.tool] [tool.signal]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait'], ['wait', { ms: 200 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: harness.callNamed('wait') });
    await harness.clock.advance(1_000);
    expect(harness.aborted).toEqual([harness.callNamed('wait')]);
    expect(harness.recorder.of('tool_result')).toMatchObject([
      { node: harness.callNamed('wait'), outcome: 'cancelled', effect: 'unknown', output: 'stopped after work' },
      { node: harness.callNamed('wait', 1), outcome: 'completed', effect: 'done' },
    ]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect(harness.provider.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });
});

describe('a sub-agent', () => {
  const agents = { helper: { description: 'helps', instructions: 'Help.' } };

  test('delegating: the CANCEL reaches its turn, its partial report is handed to the parent [ladder.agent.delegating] [agent.tree]', async () => {
    const harness = await startHarness({
      agents,
      respond: ({ messages }, n) => {
        if (n === 0) return callsResponse(['spawn_agent', { task: 'look around' }], ['note']);
        return messages.some(({ content }) => content.includes('look around')) && messages.at(-1)?.role === 'user'
          ? { steps: [{ text: 'So far I ' }, { hang: true }] }
          : textResponse('done');
      },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await harness.cancel({ target: harness.callNamed('spawn_agent') });
    await harness.clock.advance(1_000);
    expect(
      harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('spawn_agent')),
    ).toMatchObject({
      outcome: 'cancelled',
      output: 'So far I ',
    });
    expect(harness.recorder.of('turn_ended').map(({ outcome }) => outcome)).toEqual(['cancelled', 'completed']);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });
});
