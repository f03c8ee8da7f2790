// A CANCEL through the runtime: which nodes it stops, its receipts, its repeats, and that nothing starts after it.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { callsOnce, callsResponse, startHarness, textResponse } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

describe('a receipt', () => {
  test('lists every live node, and settles each with outcome, effect and milliseconds [cancel.reach] [cancel.settled]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { unwind: 40 }], ['wait']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const answer = await harness.cancel({ target: turn, reason: 'changed my mind' });
    expect(answer).toMatchObject({ type: 'cancel_accepted', durable: true, repeated: false });
    const calls = [harness.callNamed('wait', 0), harness.callNamed('wait', 1)];
    expect(harness.recorder.of('cancel_accepted')[0]).toMatchObject({
      stopping: [turn, ...calls],
      pending: [],
      refused: [],
      detached: [],
      by: 'alice',
      source: 'client',
      reason: 'changed my mind',
    });
    await harness.clock.advance(1_000);
    const [settled] = harness.settledReceipts();
    expect(settled?.cause).toMatchObject({ source: 'client', by: 'alice', reason: 'changed my mind', target: turn });
    expect(settled?.nodes.map(({ times: _, ...node }) => node)).toEqual([
      { node: turn, kind: 'turn', outcome: 'cancelled', effect: 'unknown', ms: 40 },
      { node: calls[0], kind: 'tool-call', outcome: 'cancelled', effect: 'unknown', ms: 40 },
      { node: calls[1], kind: 'tool-call', outcome: 'cancelled', effect: 'unknown', ms: 5 },
    ]);
  });

  test('is sent after the closing has committed [cancel.settled] [history.partial]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const { append } = harness.log;
    harness.log.append = async (session, epoch, seq, bodies) => {
      if (bodies.some(({ type }) => type === 'turn_ended'))
        await new Promise<void>((done) => harness.clock.after(300, done));
      return append.call(harness.log, session, epoch, seq, bodies);
    };
    await harness.cancel({ target: turn });
    await harness.clock.advance(200);
    expect(harness.endOf(turn)).toBeUndefined();
    expect(harness.settledReceipts()).toEqual([]);
    await harness.clock.advance(500);
    expect(harness.index(({ type }) => type === 'turn_ended')).toBeLessThan(
      harness.index(({ type }) => type === 'cancel_settled'),
    );
  });

  test('resolves for a program after it has committed, and not before [cancel.settled]', async () => {
    const hold = holdAppend((types) => types.includes('cancel_settled'));
    const harness = await startHarness({ log: hold.wrap(createMemoryLog()), respond: callsOnce(['wait']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const reply = await harness.cancel({ target: turn });
    const cancel = reply.type === 'cancel_accepted' ? reply.receipt.cancel : '';
    const seen: string[] = [];
    const settled = harness.session.settled(cancel).then((receipt) => seen.push(receipt?.type ?? 'none'));
    await harness.clock.advance(100);
    await hold.reached;
    await harness.clock.advance(100);
    expect(seen).toEqual([]);
    hold.release();
    await settled;
    expect(seen).toEqual(['cancel_settled']);
  });

  test('is sent after 250 ms without its commit, and again after the commit [cancel.accepted]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const { append } = harness.log;
    harness.log.append = async (...args) => {
      await new Promise<void>((done) => harness.clock.after(400, done));
      return append.apply(harness.log, args);
    };
    const answer = harness.session.cancel(harness.alice, { target: turn });
    await harness.clock.advance(1);
    expect(harness.aborted, 'stopping begins in the tick of the decision').toHaveLength(1);
    await harness.clock.advance(260);
    expect(await answer).toMatchObject({ type: 'cancel_accepted', durable: false });
    expect(harness.recorder.early).toHaveLength(1);
    expect(harness.recorder.of('cancel_accepted')).toHaveLength(0);
    await harness.clock.advance(5_000);
    expect(harness.recorder.of('cancel_accepted')).toHaveLength(1);
    expect(harness.recorder.early).toHaveLength(1);
  });

  test('is the same for six copies of a CANCEL [cancel.idempotent]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const copies = [1, 2, 3, 4, 5, 6].map((i) =>
      harness.session.cancel(harness.alice, { target: turn, ref: i < 4 ? 'c1' : `c${i}` }),
    );
    await harness.clock.advance(10);
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
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('cancel_accepted')).toHaveLength(1);
    expect(harness.settledReceipts()).toHaveLength(1);
    // also after the end, for the ref that got it
    expect(await harness.cancel({ target: turn, ref: 'c1' })).toMatchObject({
      type: 'cancel_accepted',
      repeated: true,
      receipt: { cancel: receipts[0] },
    });
  });

  test('is a new one where a repeat adds nodes [cancel.idempotent]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait'], ['wait', { unwind: 90 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: harness.callNamed('wait', 1), ref: 'c1' });
    await harness.cancel({ target: turn, ref: 'c2' });
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('cancel_accepted').map(({ stopping }) => stopping.length)).toEqual([1, 3]);
    expect(harness.settledReceipts()).toHaveLength(2);
  });
});

describe('the reply about a target', () => {
  test('whose receipt is still open waits for it [cancel.exact] [cancel.settled]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 50 }], ['ignores_signal']) });
    const turn = await harness.say('words');
    await harness.clock.advance(20);
    await harness.cancel({ target: turn });
    const [quick] = [harness.callNamed('wait')];
    await harness.clock.advance(100); // this call has settled, its sibling has not
    const reply = harness.session.cancel(harness.alice, { target: quick });
    await harness.clock.advance(2_000);
    expect(await reply).toMatchObject({ type: 'already_settled', receipt: { nodes: expect.any(Array) } });
  });

  test('that is over, unknown, or of another turn [cancel.exact]', async () => {
    const harness = await startHarness();
    const first = await harness.say('first');
    await harness.clock.advance(100);
    expect(await harness.cancel({ target: first })).toEqual({
      type: 'already_settled',
      target: first,
      receipt: null,
      running: [],
    });
    expect(await harness.cancel({ target: 'turn_nowhere' })).toEqual({
      type: 'unknown_target',
      target: 'turn_nowhere',
    });
    const second = await harness.say('second');
    await harness.cancel({ target: first });
    await harness.clock.advance(100);
    expect(harness.endOf(second)?.outcome).toBe('completed');
    const third = await harness.say('third');
    await harness.clock.advance(1);
    await harness.cancel({ target: third });
    await harness.clock.advance(1_000);
    const again = await harness.cancel({ target: third });
    expect(again).toMatchObject({
      type: 'already_settled',
      receipt: { nodes: [{ node: third, outcome: 'cancelled' }] },
    });
  });

  test('that is named by its SAY, before and after the SAY arrived [cancel.latch]', async () => {
    const harness = await startHarness();
    await harness.cancel({ target: 'say:s1' });
    await expect(harness.say('too late', harness.alice, 's1')).rejects.toThrow('cancelled_before_start');
    const both = [
      harness.session.say(harness.alice, { text: 'words', ref: 's2' }),
      harness.session.cancel(harness.alice, { target: 'say:s2' }),
    ];
    await harness.clock.advance(100);
    const [said] = await Promise.all(both);
    expect(harness.provider.requests, 'no request was made to the model').toHaveLength(0);
    expect(harness.endOf((said as { turn: string }).turn)?.outcome).toBe('cancelled');
  });
});

describe('after the cut', () => {
  test('nothing starts: no retry, no round, no call, no child [cancel.fence]', async () => {
    const agents = { helper: { description: 'helps', instructions: 'Help.' } };
    const harness = await startHarness({
      agents,
      respond: (_, n) =>
        n < 3 ? callsResponse(['spawn_agent', { task: 'deeper' }], ['wait', { ms: 200 }]) : callsResponse(['wait']),
    });
    const turn = await harness.say('words');
    for (let i = 0; i < 3; i++) await harness.clock.advance(0);
    const requests = harness.provider.requests.length;
    const entered = harness.entered.length;
    await harness.cancel({ target: turn });
    await harness.clock.advance(5_000);
    expect(harness.provider.requests).toHaveLength(requests);
    expect(harness.entered).toHaveLength(entered);
    expect(harness.ended.toSorted()).toEqual(harness.entered.toSorted());
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    expect(await harness.session.nodes()).toEqual([]);
  });

  test('the next SAY in the same tick starts after the stop, with a history in which calls and results pair [recover.ready] [cancel.settled]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { unwind: 100 }], ['note']) });
    const first = await harness.say('first');
    await harness.clock.advance(50);
    const cancelled = harness.session.cancel(harness.alice, { target: first });
    const second = await harness.say('second');
    await harness.clock.advance(1_000);
    await cancelled;
    const ends = harness.index((fact) => fact.type === 'turn_ended' && fact.turn === first);
    const settles = harness.index(({ type }) => type === 'cancel_settled');
    const begins = harness.index((fact) => fact.type === 'turn_started' && fact.turn === second);
    expect([ends, settles, begins]).toEqual([ends, settles, begins].toSorted((one, other) => one - other));
    expect(settles).toBeGreaterThan(0);
    expect(harness.endOf(second)?.outcome).toBe('completed');
    const messages = harness.provider.requests.at(-1)?.messages ?? [];
    const requested = messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ callId }) => callId) : [],
    );
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect(answered).toEqual(requested);
    expect(requested).toHaveLength(2);
  });

  test('a next SAY without a CANCEL waits as well: two turns never run at once in one lane [cancel.settled]', async () => {
    const harness = await startHarness({ respond: () => textResponse('one ', 'two ') });
    const first = await harness.say('first');
    const second = await harness.say('second');
    await harness.clock.advance(1_000);
    const order = harness.recorder.texts.map(({ turn }) => turn);
    expect(order).toEqual([first, first, second, second]);
  });
});

describe('a tool that does not stop', () => {
  test('is abandoned after its budget, named in the receipt, and `abandoned_ended` follows when it ends [cancel.bounded] [history.words]', async () => {
    const harness = await startHarness({ respond: callsOnce(['ignores_signal', { ms: 2_500 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_499);
    expect(harness.settledReceipts()).toEqual([]);
    await harness.clock.advance(10);
    const call = harness.callNamed('ignores_signal');
    expect(harness.settledReceipts()[0]?.nodes).toMatchObject([
      { node: turn, outcome: 'cancelled', effect: 'unknown' },
      { node: call, outcome: 'abandoned', effect: 'unknown', ms: 1_500 },
    ]);
    expect((await harness.session.nodes()).map(({ node, state }) => [node, state])).toEqual([
      [turn, 'settled'],
      [call, 'settled'],
    ]);
    await harness.clock.advance(5_000);
    expect(harness.recorder.of('abandoned_ended')).toMatchObject([{ node: call }]);
    expect(harness.recorder.of('tool_result'), 'a terminal outcome is written once').toHaveLength(1);
    expect(await harness.session.nodes()).toEqual([]);
  });

  test('keeps its exclusive key until it has ended; calls that wait for the key fail at once [cancel.bounded]', async () => {
    const harness = await startHarness({
      respond: (_, n) =>
        n === 0
          ? callsResponse(['ignores_signal_keyed', { ms: 4_000 }])
          : n % 2
            ? callsResponse(['keyed', { ms: 10 }])
            : textResponse('ok'),
    });
    const first = await harness.say('first');
    await harness.clock.advance(50);
    await harness.cancel({ target: first });
    await harness.clock.advance(1_600);
    await harness.say('second');
    await harness.clock.advance(100);
    expect(harness.recorder.of('tool_result').at(-1)).toMatchObject({
      outcome: 'failed',
      code: 'key_held',
      effect: 'not_started',
    });
    await harness.clock.advance(5_000);
    await harness.say('third');
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_result').at(-1)).toMatchObject({ outcome: 'completed' });
  });

  test('force on a repeat skips the grace [cancel.idempotent] [cancel.bounded]', async () => {
    const harness = await startHarness({ respond: callsOnce(['ignores_signal', { ms: 9_000 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
    await harness.cancel({ target: turn, force: true });
    await harness.clock.advance(260);
    expect(harness.settledReceipts()[0]?.nodes[1]).toMatchObject({ outcome: 'abandoned', ms: 350 });
  });
});
