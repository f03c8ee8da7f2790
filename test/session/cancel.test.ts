// The road of a CANCEL through the runtime: what is reached, told, repeated, and never begun.
import { describe, expect, test } from 'vitest';
import { asks, createWorld, once, says } from '../support/world.ts';

describe('a receipt', () => {
  test('lists every live node, and settles each with outcome, effect and milliseconds [cancel.reach] [cancel.settled]', async () => {
    const world = await createWorld({ respond: once(['wait', { unwind: 40 }], ['wait']) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    const answer = await world.cancel({ target: turn, reason: 'changed my mind' });
    expect(answer).toMatchObject({ type: 'cancel_accepted', durable: true, repeated: false });
    const calls = [world.call('wait', 0), world.call('wait', 1)];
    expect(world.heard.of('cancel_accepted')[0]).toMatchObject({
      stopping: [turn, ...calls],
      pending: [],
      refused: [],
      detached: [],
      by: 'alice',
      source: 'client',
      reason: 'changed my mind',
    });
    await world.clock.advance(1_000);
    const [settled] = world.settled();
    expect(settled?.cause).toMatchObject({ source: 'client', by: 'alice', reason: 'changed my mind', target: turn });
    expect(settled?.nodes).toEqual([
      { node: turn, kind: 'turn', outcome: 'cancelled', effect: 'unknown', ms: 40 },
      { node: calls[0], kind: 'tool-call', outcome: 'cancelled', effect: 'unknown', ms: 40 },
      { node: calls[1], kind: 'tool-call', outcome: 'cancelled', effect: 'unknown', ms: 5 },
    ]);
  });

  test('comes when the closing has committed, not before [cancel.settled] [history.partial]', async () => {
    const world = await createWorld({ respond: once(['wait']) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    const { append } = world.log;
    world.log.append = async (session, epoch, seq, bodies) => {
      if (bodies.some(({ type }) => type === 'turn_ended'))
        await new Promise<void>((done) => world.clock.after(300, done));
      return append.call(world.log, session, epoch, seq, bodies);
    };
    await world.cancel({ target: turn });
    await world.clock.advance(200);
    expect(world.end(turn)).toBeUndefined();
    expect(world.settled()).toEqual([]);
    await world.clock.advance(500);
    expect(world.index(({ type }) => type === 'turn_ended')).toBeLessThan(
      world.index(({ type }) => type === 'cancel_settled'),
    );
  });

  test('is told without its commit after 250 ms, and then again with it [cancel.accepted]', async () => {
    const world = await createWorld({ respond: once(['wait']) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    const { append } = world.log;
    world.log.append = async (...args) => {
      await new Promise<void>((done) => world.clock.after(400, done));
      return append.apply(world.log, args);
    };
    const answer = world.session.cancel(world.alice, { target: turn });
    await world.clock.advance(1);
    expect(world.signals, 'stopping begins in the tick of the decision').toHaveLength(1);
    await world.clock.advance(260);
    expect(await answer).toMatchObject({ type: 'cancel_accepted', durable: false });
    expect(world.heard.early).toHaveLength(1);
    expect(world.heard.of('cancel_accepted')).toHaveLength(0);
    await world.clock.advance(5_000);
    expect(world.heard.of('cancel_accepted')).toHaveLength(1);
    expect(world.heard.early).toHaveLength(1);
  });

  test('is one for six copies of a CANCEL [cancel.idempotent]', async () => {
    const world = await createWorld({ respond: once(['wait']) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    const copies = [1, 2, 3, 4, 5, 6].map((i) =>
      world.session.cancel(world.alice, { target: turn, ref: i < 4 ? 'c1' : `c${i}` }),
    );
    await world.clock.advance(10);
    const answers = await Promise.all(copies);
    const receipts = answers.map((answer) => (answer.type === 'cancel_accepted' ? answer.receipt.cancel : answer.type));
    expect(new Set(receipts).size).toBe(1);
    expect(answers.map((answer) => answer.type === 'cancel_accepted' && answer.repeated)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
    await world.clock.advance(1_000);
    expect(world.heard.of('cancel_accepted')).toHaveLength(1);
    expect(world.settled()).toHaveLength(1);
    // and after the end, by the ref that had it
    expect(await world.cancel({ target: turn, ref: 'c1' })).toMatchObject({
      type: 'cancel_accepted',
      repeated: true,
      receipt: { cancel: receipts[0] },
    });
  });

  test('is a new one when a repeat adds nodes [cancel.idempotent]', async () => {
    const world = await createWorld({ respond: once(['wait'], ['wait', { unwind: 90 }]) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: world.call('wait', 1), ref: 'c1' });
    await world.cancel({ target: turn, ref: 'c1' });
    await world.clock.advance(1_000);
    expect(world.heard.of('cancel_accepted').map(({ stopping }) => stopping.length)).toEqual([1, 3]);
    expect(world.settled()).toHaveLength(2);
  });
});

describe('what is said of a target', () => {
  test('that is over, unknown, or of another turn [cancel.exact]', async () => {
    const world = await createWorld();
    const first = await world.say('first');
    await world.clock.advance(100);
    expect(await world.cancel({ target: first })).toEqual({ type: 'already_settled', target: first, receipt: null });
    expect(await world.cancel({ target: 'turn_nowhere' })).toEqual({ type: 'unknown_target', target: 'turn_nowhere' });
    const second = await world.say('second');
    await world.cancel({ target: first });
    await world.clock.advance(100);
    expect(world.end(second)?.outcome).toBe('completed');
    const third = await world.say('third');
    await world.clock.advance(1);
    await world.cancel({ target: third });
    await world.clock.advance(1_000);
    const again = await world.cancel({ target: third });
    expect(again).toMatchObject({
      type: 'already_settled',
      receipt: { nodes: [{ node: third, outcome: 'cancelled' }] },
    });
  });

  test('that is named by its SAY, before and after that came [cancel.latch]', async () => {
    const world = await createWorld();
    await world.cancel({ target: 'say:s1' });
    await expect(world.say('too late', world.alice, 's1')).rejects.toThrow('cancelled_before_start');
    const both = [
      world.session.say(world.alice, { text: 'words', ref: 's2' }),
      world.session.cancel(world.alice, { target: 'say:s2' }),
    ];
    await world.clock.advance(100);
    const [said] = await Promise.all(both);
    expect(world.provider.requests, 'the model was never asked').toHaveLength(0);
    expect(world.end((said as { turn: string }).turn)?.outcome).toBe('cancelled');
  });
});

describe('after the cut', () => {
  test('nothing begins: no retry, no round, no call, no child [cancel.fence]', async () => {
    const agents = { helper: { description: 'helps', instructions: 'Help.' } };
    const world = await createWorld({
      agents,
      respond: (_, n) => (n < 3 ? asks(['spawn_agent', { task: 'deeper' }], ['wait', { ms: 200 }]) : asks(['wait'])),
    });
    const turn = await world.say('words');
    for (let i = 0; i < 3; i++) await world.clock.advance(0);
    const requests = world.provider.requests.length;
    const entered = world.ran.length;
    await world.cancel({ target: turn });
    await world.clock.advance(5_000);
    expect(world.provider.requests).toHaveLength(requests);
    expect(world.ran).toHaveLength(entered);
    expect(world.ended.toSorted()).toEqual(world.ran.toSorted());
    expect(world.end(turn)?.outcome).toBe('cancelled');
    expect(await world.session.nodes()).toEqual([]);
  });

  test('the next SAY in the same tick waits for the stop, and has a sound history [recover.ready] [cancel.settled]', async () => {
    const world = await createWorld({ respond: once(['wait', { unwind: 100 }], ['note']) });
    const first = await world.say('first');
    await world.clock.advance(50);
    const cancelled = world.session.cancel(world.alice, { target: first });
    const second = await world.say('second');
    await world.clock.advance(1_000);
    await cancelled;
    const ends = world.index((fact) => fact.type === 'turn_ended' && fact.turn === first);
    const begins = world.index((fact) => fact.type === 'turn_started' && fact.turn === second);
    expect(ends).toBeLessThan(begins);
    expect(world.end(second)?.outcome).toBe('completed');
    const messages = world.provider.requests.at(-1)?.messages ?? [];
    const asked = messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ callId }) => callId) : [],
    );
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect(answered).toEqual(asked);
    expect(asked).toHaveLength(2);
  });

  test('a next SAY without a CANCEL waits as well: two voices never speak in one lane [cancel.settled]', async () => {
    const world = await createWorld({ respond: () => says('one ', 'two ') });
    const first = await world.say('first');
    const second = await world.say('second');
    await world.clock.advance(1_000);
    const order = world.heard.texts.map(({ turn }) => turn);
    expect(order).toEqual([first, first, second, second]);
  });
});

describe('a tool that does not stop', () => {
  test('is abandoned after its budget, named, and announced again when it really ends [cancel.bounded] [history.words]', async () => {
    const world = await createWorld({ respond: once(['deaf', { ms: 2_500 }]) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: turn });
    await world.clock.advance(1_499);
    expect(world.settled()).toEqual([]);
    await world.clock.advance(10);
    const deaf = world.call('deaf');
    expect(world.settled()[0]?.nodes).toMatchObject([
      { node: turn, outcome: 'cancelled', effect: 'unknown' },
      { node: deaf, outcome: 'abandoned', effect: 'unknown', ms: 1_500 },
    ]);
    expect((await world.session.nodes()).map(({ node, state }) => [node, state])).toEqual([
      [turn, 'settled'],
      [deaf, 'settled'],
    ]);
    await world.clock.advance(5_000);
    expect(world.heard.of('abandoned_ended')).toMatchObject([{ node: deaf }]);
    expect(world.heard.of('tool_result'), 'a terminal outcome is written once').toHaveLength(1);
    expect(await world.session.nodes()).toEqual([]);
  });

  test('keeps its exclusive key until it is gone; who waits for it is told at once [cancel.bounded]', async () => {
    const world = await createWorld({
      respond: (_, n) =>
        n === 0 ? asks(['deafkeyed', { ms: 4_000 }]) : n % 2 ? asks(['keyed', { ms: 10 }]) : says('ok'),
    });
    const first = await world.say('first');
    await world.clock.advance(50);
    await world.cancel({ target: first });
    await world.clock.advance(1_600);
    await world.say('second');
    await world.clock.advance(100);
    expect(world.heard.of('tool_result').at(-1)).toMatchObject({
      outcome: 'failed',
      code: 'key_held',
      effect: 'not_started',
    });
    await world.clock.advance(5_000);
    await world.say('third');
    await world.clock.advance(1_000);
    expect(world.heard.of('tool_result').at(-1)).toMatchObject({ outcome: 'completed' });
  });

  test('force on a repeat skips the grace [cancel.idempotent] [cancel.bounded]', async () => {
    const world = await createWorld({ respond: once(['deaf', { ms: 9_000 }]) });
    const turn = await world.say('words');
    await world.clock.advance(50);
    await world.cancel({ target: turn });
    await world.clock.advance(100);
    await world.cancel({ target: turn, force: true });
    await world.clock.advance(260);
    expect(world.settled()[0]?.nodes[1]).toMatchObject({ outcome: 'abandoned', ms: 350 });
  });
});
