// Stops of responses of the Realtime API, at the strict server: each trap that is known.
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../machines/messages.ts';
import type { ServerItem } from '../../../support/realtime/provider-items.ts';
import { unpairedIn } from '../../../support/realtime/provider-items.ts';
import type { ResponsePlan } from '../../../support/realtime/server-script.ts';
import { scaled } from '../../../support/time-scale.ts';
import { until } from '../../../support/until.ts';
import { assistant, LinkedModel, userMessage } from './linked-model.ts';

const words = 'One two three four five six.';
const plan: ResponsePlan = { text: words, ms: 2_000 };
const tool = { name: 'search', description: 'Searches.', parameters: { type: 'object', properties: {} } };

const sentOf = ({ server }: LinkedModel, type: string) =>
  server.sessions.flatMap(({ sent }) => sent.filter((event) => event['type'] === type));
const receivedOf = ({ server }: LinkedModel, type: string) =>
  server.sessions.flatMap(({ received }) => received.filter((event) => event['type'] === type));
const textsOf = (items: readonly ServerItem[] = []) => items.map(({ role, type, text }) => `${role ?? type}: ${text}`);

describe('a response that is stopped', () => {
  test('before it is created makes no sound, and is cancelled by its id as soon as it is created [voice.realtime]', async () => {
    const created = Promise.withResolvers<void>();
    await using it = await LinkedModel.start({ respond: () => ({ ...plan, beforeCreated: created.promise }) });
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.server.requests.length === 1);
    call.abort();
    expect(await call.end).toMatchObject({ kind: 'stopped', calls: [] });
    expect(receivedOf(it, 'response.cancel')).toEqual([]);
    created.resolve();
    await until(() => sentOf(it, 'response.done').length === 1);
    expect(receivedOf(it, 'response.cancel')).toMatchObject([{ response_id: it.server.requests[0]?.id }]);
    expect([it.room.sounds.length, call.text]).toEqual([0, '']);
    const next = it.call('t2', [userMessage('hello')]);
    expect(await next.end).toMatchObject({ kind: 'completed', finish: 'stop' });
    expect(it.room.msOf('t2')).toBe(2_000);
    expect([it.server.refusals, it.server.sessions.length]).toEqual([[], 1]);
  });

  test('before its request waits for the one before it, and is never asked for', async () => {
    const created = Promise.withResolvers<void>();
    await using it = await LinkedModel.start({ respond: () => ({ ...plan, beforeCreated: created.promise }) });
    const first = it.call('t1', [userMessage('one')]);
    const second = it.call('t2', [userMessage('two')]);
    await until(() => it.server.requests.length === 1);
    second.abort();
    expect(await second.end).toMatchObject({ kind: 'stopped', usage: { kind: 'exact', input: 0, output: 0 } });
    created.resolve();
    expect(await first.end).toMatchObject({ kind: 'completed' });
    expect([it.server.requests.length, it.room.msOf('t1'), it.room.msOf('t2')]).toEqual([1, 2_000, 0]);
  });

  test('passes nothing on that comes after it, and its answer is truncated to what came [voice.realtime]', async () => {
    let deltas = 0;
    let stop = () => {};
    await using it = await LinkedModel.start({
      respond: () => ({ ...plan, lateDeltas: 8 }),
      gate: (event, when) => {
        if (event['type'] === 'response.output_audio.delta' && when === 'after' && ++deltas === 5) stop();
      },
    });
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') >= 300);
    stop = call.abort;
    deltas = 4; // the next delta stops it
    const end = await call.end;
    expect(end.kind).toBe('stopped');
    const [heardMs, text] = [it.room.msOf('t1'), call.text];
    await until(() => sentOf(it, 'response.done').length === 1);
    const sentMs = sentOf(it, 'response.output_audio.delta').length * 100;
    expect(sentMs).toBeGreaterThan(heardMs);
    expect([it.room.msOf('t1'), call.text]).toEqual([heardMs, text]);
    const next = it.call('t2', [userMessage('hello'), assistant(`${text}… [cut off here]`), userMessage('go on')]);
    await next.end;
    expect(receivedOf(it, 'conversation.item.truncate')).toMatchObject([{ audio_end_ms: heardMs, content_index: 0 }]);
    expect(it.server.requests[1]?.context).toMatchObject([
      { role: 'user', text: 'hello' },
      { role: 'assistant', audioMs: heardMs },
      { role: 'user', text: 'go on' },
    ]);
    expect(it.server.refusals).toEqual([]);
  });

  test('that has just ended is a success: the error is that of its cancel [voice.realtime]', async () => {
    const held = Promise.withResolvers<void>();
    await using it = await LinkedModel.start({
      respond: () => ({ ...plan, ignoresCancel: true }),
      gate: (event, when) => (event['type'] === 'response.done' && when === 'before' ? held.promise : undefined),
    });
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') === 2_000);
    const { session } = it.server;
    session.endQuietly(); // the server has ended it, and its last event is under way
    call.abort();
    expect(await call.end).toMatchObject({ kind: 'stopped' });
    await until(() => it.server.refusals.length === 1);
    held.resolve();
    expect(it.server.refusals).toMatchObject([{ code: 'response_cancel_not_active' }]);
    it.server.script = { respond: () => plan };
    expect(await it.call('t2', [userMessage('hello')]).end).toMatchObject({ kind: 'completed' });
    expect([it.server.sessions.length, it.room.warnings]).toEqual([1, []]);
  });

  test('while its last event is under way has ended whole, and the error of its cancel is about nothing', async () => {
    let stop = () => {};
    await using it = await LinkedModel.start({
      respond: () => plan,
      gate: (event, when) => {
        if (event['type'] !== 'response.done' || when !== 'before') return;
        it.server.session.endQuietly(); // a cancel that comes from now on is too late
        stop();
      },
    });
    const call = it.call('t1', [userMessage('hello')]);
    stop = call.abort;
    expect(await call.end).toMatchObject({ kind: 'stopped', usage: { kind: 'exact' } });
    await until(() => it.server.refusals.length === 1);
    expect(it.server.refusals).toMatchObject([{ code: 'response_cancel_not_active' }]);
    stop = () => {};
    expect(await it.call('t2', [userMessage('hello')]).end).toMatchObject({ kind: 'completed' });
    expect([it.server.sessions.length, it.room.warnings]).toEqual([1, []]);
  });

  test('and is not ended in time takes nothing along: what waits is asked for in the next session', async () => {
    const plans = [{ ...plan, neverAnswersCancel: true }, plan];
    await using it = await LinkedModel.start({ respond: () => plans.shift() ?? plan }, { answerMs: 200 });
    const call = it.call('t1', [userMessage('one')]);
    await until(() => it.room.msOf('t1') > 0);
    const waiting = it.call('t2', [userMessage('two')]);
    call.abort();
    expect(await call.end).toMatchObject({ kind: 'stopped' });
    expect(await waiting.end).toMatchObject({ kind: 'completed' });
    expect([it.server.sessions.length, it.server.refusals]).toEqual([2, []]);
  });

  test('and is not ended in time costs its connection, and the next one has all of the log [voice.realtime]', async () => {
    await using it = await LinkedModel.start(
      { respond: () => ({ ...plan, neverAnswersCancel: true }) },
      { answerMs: 200 },
    );
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') > 0);
    const at = performance.now();
    call.abort();
    expect(await call.end).toMatchObject({ kind: 'stopped' });
    await until(() => it.server.open.length === 0);
    expect(performance.now() - at).toBeLessThan(scaled(600));
    it.server.script = { respond: () => plan };
    const log: Message[] = [userMessage('hello'), assistant('One… [cut off here]'), userMessage('and now?')];
    expect(await it.call('t2', log).end).toMatchObject({ kind: 'completed' });
    expect(it.server.sessions).toHaveLength(2);
    expect(textsOf(it.server.requests[1]?.context)).toEqual([
      'user: hello',
      'assistant: One… [cut off here]',
      'user: and now?',
    ]);
  });

  test('and is never created costs its connection, too', async () => {
    const never = new Promise<void>(() => {});
    await using it = await LinkedModel.start({ respond: () => ({ ...plan, beforeCreated: never }) }, { answerMs: 100 });
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.server.requests.length === 1);
    call.abort();
    await until(() => it.server.open.length === 0);
    it.server.script = { respond: () => plan };
    expect(await it.call('t2', [userMessage('hello')]).end).toMatchObject({ kind: 'completed' });
  });

  test('gives each whole call an output without a response, and deletes one that is not whole [voice.realtime]', async () => {
    let isLast = false;
    const held = Promise.withResolvers<void>();
    const calls = [
      { name: 'search', arguments: '{"query":"a fox and a crow"}' },
      { name: 'search', arguments: '{"query":"a second search that is long enough to be stopped"}' },
    ];
    await using it = await LinkedModel.start({
      respond: () => ({ text: 'Wait.', ms: 200, calls }),
      gate: (event, when) => {
        isLast ||= event['type'] === 'response.function_call_arguments.delta' && event['output_index'] === 2;
        return isLast && when === 'before' ? held.promise : undefined;
      },
    });
    const call = it.call('t1', [userMessage('search')], { tools: [tool] });
    await until(() => isLast);
    call.abort();
    await until(() => receivedOf(it, 'response.cancel').length === 1);
    held.resolve();
    const end = await call.end;
    expect(end).toMatchObject({ kind: 'stopped', calls: [{ name: 'search', arguments: calls[0]?.arguments }] });
    await until(() => receivedOf(it, 'conversation.item.create').length === 2);
    const { conversation } = it.server.session;
    await until(() => unpairedIn(conversation.items).length === 0);
    expect(conversation.items.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'function_call',
      'function_call_output',
    ]);
    expect(it.server.requests).toHaveLength(1);
    const [made] = end.kind === 'stopped' ? end.calls : [];
    const log: Message[] = [
      userMessage('search'),
      {
        role: 'assistant',
        content: 'Wait.',
        calls: [{ callId: 'c1', givenId: made?.callId ?? '', name: 'search', arguments: made?.arguments ?? '' }],
      },
      { role: 'tool', callId: 'c1', content: 'It was stopped before it had started.' },
      userMessage('and now?'),
    ];
    it.server.script = { respond: () => plan };
    expect(await it.call('t2', log).end).toMatchObject({ kind: 'completed' });
    expect(it.server.requests[1]?.context.at(-2)).toMatchObject({ output: 'It was stopped before it had started.' });
    expect(it.server.refusals).toEqual([]);
  });

  test('stops no other one that runs beside it', async () => {
    const held = Promise.withResolvers<void>();
    let isBeside = false;
    await using it = await LinkedModel.start(
      {
        respond: (request) =>
          request?.isApart
            ? { text: 'It was stopped.', ms: 400 }
            : { ...plan, neverDone: true, neverAnswersCancel: true },
        gate: (event, when) => {
          const isSound = event['type'] === 'response.output_audio.delta';
          return isSound && isBeside && when === 'before' ? held.promise : undefined;
        },
      },
      { answerMs: 100 },
    );
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') === 2_000);
    isBeside = true;
    const beside = it.call('ack', [userMessage('say that it was stopped')], { acknowledges: 'cancel_1' });
    await until(() => beside.text !== '');
    call.abort();
    expect(await call.end).toMatchObject({ kind: 'stopped' });
    it.server.script = { respond: () => plan };
    expect(await it.call('t2', [userMessage('hello')]).end).toMatchObject({ kind: 'completed' }); // by another connection
    expect(it.server.open).toHaveLength(2);
    held.resolve();
    expect(await beside.end).toMatchObject({ kind: 'completed' });
    expect(it.room.msOf('ack')).toBe(400);
    await until(() => it.server.open.length === 1);
  });
});

describe('a response', () => {
  test('is asked for when the one before it is over [voice.realtime]', async () => {
    await using it = await LinkedModel.start({ respond: () => plan });
    const calls = Array.from({ length: 8 }, (_, i) => it.call(`t${i}`, [userMessage(`question ${i}`)]));
    for (const call of calls) expect(await call.end).toMatchObject({ kind: 'completed' });
    for (const { turn } of calls) expect(it.room.msOf(turn)).toBe(2_000);
    expect([it.server.refusals, it.server.requests.length]).toEqual([[], 8]);
  });

  test('that acknowledges a stop is outside of the conversation, and runs beside another one', async () => {
    const held = Promise.withResolvers<void>();
    await using it = await LinkedModel.start({
      respond: (request) =>
        request?.isApart ? { text: 'Stopped.', ms: 300 } : { ...plan, beforeCreated: held.promise },
    });
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.server.requests.length === 1);
    const beside = it.call('ack', [userMessage('say that it was stopped')], { acknowledges: 'cancel_1' });
    expect(await beside.end).toMatchObject({ kind: 'completed' });
    held.resolve();
    await call.end;
    expect(it.room.msOf('ack')).toBe(300);
    expect(it.server.requests[1]).toMatchObject({ isApart: true, context: [{ text: 'say that it was stopped' }] });
    expect(it.server.session.conversation.items).toHaveLength(2);
  });

  test('that nobody has asked for is cancelled by its id, and makes no sound [voice.realtime]', async () => {
    await using it = await LinkedModel.start({ respond: () => plan });
    await it.call('t1', [userMessage('hello')]).end;
    it.room.sounds.length = 0;
    const { session } = it.server;
    session.beginUnasked({ text: 'Are you still there?', ms: 5_000 });
    await until(() => sentOf(it, 'response.done').length === 2);
    expect(receivedOf(it, 'response.cancel')).toMatchObject([{ response_id: session.requests[1]?.id }]);
    expect(it.room.sounds).toEqual([]);
    session.beginUnasked({ text: 'And now?', ms: 5_000 });
    expect(await it.call('t2', [userMessage('hello'), assistant(words), userMessage('go on')]).end).toMatchObject({
      kind: 'completed',
    });
    expect(it.room.msOf('t2')).toBe(2_000);
    expect(textsOf(it.server.requests.at(-1)?.context)).toEqual(['user: hello', `assistant: ${words}`, 'user: go on']);
  });

  test('of which speech was cut is not made any further, and its whole calls run [voice.realtime]', async () => {
    let isSecond = false;
    const held = Promise.withResolvers<void>();
    const calls = [
      { name: 'search', arguments: '{"query":"a fox"}' },
      { name: 'search', arguments: '{"query":"a crow in the rain"}' },
    ];
    await using it = await LinkedModel.start({
      respond: () => ({ text: 'Wait.', ms: 200, calls }),
      gate: (event, when) => {
        isSecond ||= event['type'] === 'response.function_call_arguments.delta' && event['output_index'] === 2;
        return isSecond && when === 'before' ? held.promise : undefined;
      },
    });
    const call = it.call('t1', [userMessage('search')], { tools: [tool] });
    await until(() => isSecond);
    it.link.cut({ turn: 't1', index: 0, offset: 2, ms: 80 });
    await until(() => receivedOf(it, 'response.cancel').length === 1);
    held.resolve();
    const end = await call.end;
    expect(end).toMatchObject({ kind: 'completed', finish: 'tool_calls', calls: [{ arguments: calls[0]?.arguments }] });
    const [made] = end.kind === 'completed' ? end.calls : [];
    const log: Message[] = [
      userMessage('search'),
      {
        role: 'assistant',
        content: 'Wa… [cut off here: nothing after this was heard]',
        calls: [{ callId: 'c1', givenId: made?.callId ?? '', name: 'search', arguments: made?.arguments ?? '' }],
      },
      { role: 'tool', callId: 'c1', content: 'A fox.' },
    ];
    it.server.script = { respond: () => plan };
    expect(await it.call('t1', log, { index: 1, tools: [tool] }).end).toMatchObject({ kind: 'completed' });
    expect(it.server.requests[1]?.context).toMatchObject([
      { text: 'search' },
      { role: 'assistant', audioMs: 80 },
      { type: 'function_call' },
      { output: 'A fox.' },
    ]);
    expect(it.server.refusals).toEqual([]);
  });
});

describe('200 responses', () => {
  test(
    'stopped before they are created make no sound, and 200 others make all of it [voice.realtime]',
    async () => {
      const created = new Map<number, PromiseWithResolvers<void>>();
      let asked = 0;
      await using it = await LinkedModel.start({
        respond: () => {
          const gate = Promise.withResolvers<void>();
          created.set(asked++, gate);
          return { text: 'One two.', ms: 600, beforeCreated: gate.promise };
        },
      });
      for (let i = 0; i < 400; i++) {
        const call = it.call(`t${i}`, [userMessage('hello')]);
        await until(() => created.has(i), { what: `request ${i}` });
        if (i % 2 === 0) call.abort();
        created.get(i)?.resolve();
        expect((await call.end).kind).toBe(i % 2 === 0 ? 'stopped' : 'completed');
        expect(it.room.msOf(`t${i}`), `sound of ${i}`).toBe(i % 2 === 0 ? 0 : 600);
      }
      expect([it.server.refusals, it.server.sessions.length]).toEqual([[], 1]);
      expect(it.room.sounds.filter(({ turn }) => Number(turn.slice(1)) % 2 === 0)).toEqual([]);
    },
    scaled(60_000),
  );
});
