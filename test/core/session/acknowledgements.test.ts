// After a stop that a person caused, the model acknowledges it: what is asked of it, what the history says, and when there is none.
import { describe, expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { render } from '../../../src/core/transcript/render.ts';
import { bobCaller, callsResponse, type Harness, textResponse } from '../../support/harness.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import {
  type AcknowledgingOptions,
  acknowledgements,
  requestsToAcknowledge,
  respondWith,
  signs,
  startAcknowledging,
  startTurnWithCalls,
  stopTurn,
  understood,
} from './acknowledging.ts';

describe('after a stop', () => {
  test('the model says in its own words that it was understood, in a turn of its own, after the receipt [recover.model]', async () => {
    const h = await startAcknowledging();
    await stopTurn(h, bobCaller);
    const [opened, ...more] = acknowledgements(h);
    expect(more).toEqual([]);
    expect(opened).toMatchObject({ owner: 'bob', lane: 'alice', text: '', cancel: h.settledReceipts()[0]?.cancel });
    expect(h.index(({ type }) => type === 'cancel_settled')).toBeLessThan(
      h.index((fact) => fact.type === 'turn_opened' && fact.kind === 'acknowledgement'),
    );
    expect(h.endOf(opened?.turn ?? '')).toMatchObject({ outcome: 'completed' });
    expect(h.recorder.of('model_ended').at(-1)).toMatchObject({ turn: opened?.turn, text: 'Fine, I have stopped.' });
    expect(signs(h)).toMatchObject([{ type: 'acknowledged', turn: opened?.turn, to: 'bob' }]);
  });

  test('the request has what was running, who said what, what completed and what may have had effects, and no tools [recover.model]', async () => {
    const h = await startAcknowledging({
      acknowledgement: { model: 'fast', maxOutputTokens: 50, reasoningEffort: 'none' },
    });
    await stopTurn(h, bobCaller);
    const [request, ...more] = requestsToAcknowledge(h);
    expect(more).toEqual([]);
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const told = request?.messages.at(-1)?.content;
    expect(told).toContain('bob has just stopped work of yours ("wrong branch")');
    expect(told).toContain('alice had said "build it".');
    expect(told).toMatch(/Completed: note \(call_\w+\)\. May have had effects: wait \(call_\w+\)\./);
    expect(told).toContain('Do not go on with any of it');
    expect(request).toMatchObject({
      tools: [],
      model: 'fast',
      options: { maxOutputTokens: 50, reasoningEffort: 'none' },
    });
  });

  test('calls that the model makes all the same are not run [recover.model]', async () => {
    const h = await startAcknowledging({ respond: respondWith(() => callsResponse(['note'])) });
    await stopTurn(h);
    const [opened] = acknowledgements(h);
    expect(h.recorder.of('tool_call').filter(({ turn }) => turn === opened?.turn)).toEqual([]);
    expect(signs(h)).toMatchObject([{ type: 'reaction', emoji: '👍', to: 'alice' }]);
  });

  test('the next request has the note on the stop once, then the words of the acknowledgement [recover.note] [model.strict]', async () => {
    const h = await startAcknowledging();
    await stopTurn(h, bobCaller);
    await h.say('and now?');
    await h.clock.advance(100);
    const messages = h.provider.requests.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role).slice(-3)).toEqual(['user', 'assistant', 'user']);
    const text = JSON.stringify(messages);
    expect(text.split('was stopped by bob')).toHaveLength(2);
    expect(text).toContain(
      'Do not take any of it up again unasked: whether to try again, to go another way or to leave it',
    );
    expect(messages.at(-2)?.content).toBe('Fine, I have stopped.');
  });

  test('every prefix of the log renders to a request that the strictest template accepts [model.strict] [history.paired]', async () => {
    const h = await startAcknowledging({
      respond: respondWith(() => textResponse(...Array.from({ length: 20 }, () => 'word '))),
    });
    await stopTurn(h, bobCaller);
    const last = await h.say('and now?');
    await h.clock.advance(100);
    const facts = (await h.log.read('s', 0)).map(({ body }) => body as RecordedFact); // the log holds facts
    const opened = facts.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === last);
    const asking = facts[opened] as RecordedFact;
    for (let end = 2; end <= facts.length; end++) {
      const prefix = facts.slice(0, end).filter((fact) => fact !== asking);
      const messages = render([...prefix, asking], { turn: last, instructions: 'Be kind.' });
      expect([end, pairingProblems(messages)]).toEqual([end, []]);
      expect(messages.every(({ content, role }) => content !== '' || role === 'assistant')).toBe(true);
      const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant').map(({ role }) => role);
      expect(spoken.every((role, i) => role !== 'user' || spoken[i - 1] !== 'user')).toBe(true);
    }
  });

  test('one that hangs delays neither the receipt nor the next words, which supersede it in silence [recover.ready]', async () => {
    const h = await startAcknowledging({ respond: respondWith(() => ({ steps: [{ hang: true }] })) });
    await stopTurn(h);
    const [opened] = acknowledgements(h);
    expect(h.settledReceipts()).toHaveLength(1);
    expect(h.endOf(opened?.turn ?? '')).toBeUndefined();
    const next = await h.say('and now?');
    await h.clock.advance(20);
    expect(h.endOf(opened?.turn ?? '')).toMatchObject({ outcome: 'superseded' });
    expect(h.recorder.of('turn_started').map(({ turn }) => turn)).toContain(next);
    await h.clock.advance(5_000);
    expect(signs(h)).toEqual([]);
    expect(acknowledgements(h)).toHaveLength(1);
  });

  test('words of the owner in a lane of their own supersede it, too [recover.ready]', async () => {
    const h = await startAcknowledging({ respond: respondWith(() => ({ steps: [{ hang: true }] })) });
    await stopTurn(h, bobCaller);
    await h.say('well then', bobCaller);
    await h.clock.advance(20);
    expect(h.endOf(acknowledgements(h)[0]?.turn ?? '')).toMatchObject({ outcome: 'superseded' });
  });

  test('a session that rejects words while a turn runs takes words beside an acknowledgement [recover.ready]', async () => {
    const h = await startAcknowledging({
      spec: { whileRunning: 'reject' },
      respond: respondWith(() => ({ steps: [{ hang: true }] })),
    });
    await stopTurn(h);
    expect(await h.say('and now?')).toMatch(/^turn_/);
  });
});

describe('there is none', () => {
  const none: readonly (readonly [string, AcknowledgingOptions, (h: Harness) => Promise<unknown>])[] = [
    ['where the session has turned them off', { spec: { acknowledge: 'off' } }, (h) => stopTurn(h)],
    [
      'after the stop of a call alone',
      {},
      async (h) => {
        await startTurnWithCalls(h);
        await h.cancel({ target: h.callNamed('wait') });
      },
    ],
    ['after a deadline', { limits: { turnMs: 1_000 } }, async (h) => void (await startTurnWithCalls(h))],
    [
      'where a turn waits in the lane',
      {},
      async (h) => {
        const turn = await startTurnWithCalls(h);
        await h.say('then this');
        await h.cancel({ target: turn });
      },
    ],
  ];
  test.each(none)('%s [recover.model]', async (_, options, act) => {
    const h = await startAcknowledging(options);
    await act(h);
    await h.clock.advance(3_000);
    expect(h.settledReceipts().length).toBeGreaterThan(0);
    expect([acknowledgements(h), signs(h), requestsToAcknowledge(h)]).toEqual([[], [], []]);
  });

  test('within ten seconds of another one in the lane, and then again [recover.model]', async () => {
    const h = await startAcknowledging();
    await stopTurn(h);
    await stopTurn(h);
    expect(h.settledReceipts()).toHaveLength(2);
    expect(acknowledgements(h)).toHaveLength(1);
    await h.clock.advance(10_000);
    await stopTurn(h);
    expect(acknowledgements(h)).toHaveLength(2);
  });

  test('where nobody is left in the session [recover.model]', async () => {
    const h = await startAcknowledging();
    const turn = await startTurnWithCalls(h);
    const reply = h.session.cancel(h.alice, { target: turn });
    for (const { connection } of [h.alice, bobCaller]) await h.session.leave(connection, 'left');
    await h.clock.advance(3_000);
    expect(await reply).toMatchObject({ type: 'cancel_accepted' });
    expect(requestsToAcknowledge(h)).toEqual([]);
  });

  test('after a recovery: an acknowledgement that a crash has cut is closed, and what was shown of it stays [recover.model] [store.durable]', async () => {
    const log = createMemoryLog();
    const slowly = respondWith(() => ({ steps: [{ text: 'Fine' }, { hang: true }] }));
    const first = await startAcknowledging({ log, respond: slowly });
    await stopTurn(first);
    await first.clock.advance(2_100); // a checkpoint
    const second = await startAcknowledging({ log, life: 2, respond: understood });
    await second.clock.advance(3_000);
    const [opened] = acknowledgements(first);
    expect(second.endOf(opened?.turn ?? '')).toMatchObject({ outcome: 'failed', code: 'crash' });
    expect(acknowledgements(second)).toHaveLength(1);
    await second.say('and now?');
    await second.clock.advance(100);
    expect(second.provider.requests.at(-1)?.messages.at(-2)?.content).toContain('Fine');
    expect(signs(second)).toMatchObject([{ type: 'acknowledged' }]);
  });
});
