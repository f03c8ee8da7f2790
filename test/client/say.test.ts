// A turn of the client: stopped by a signal or by leaving the loop, a stop of one call alone, its reply, and the state of its connection.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { ConnectOptions } from '../../src/client/client.ts';
import type { ClientState } from '../../src/client/reconnecting-link.ts';
import type { TurnEvent } from '../../src/client/turn-in-flight.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { connectChecked, createCheckedClient } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { callsOnce, type HarnessOptions, startHarness, textResponse } from '../support/harness.ts';
import { startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';

const token = 'token-of-ann-000001';
const authenticator = createTokenAuthenticator({ [token]: { speaker: 'ann', sessions: ['*'], roles: ['moderator'] } });

async function start(options: HarnessOptions = {}) {
  const harness = await startHarness(options);
  const { url, gateway } = await startGateway({ runtime: harness.runtime, authenticator });
  const enter = async (more: Partial<ConnectOptions> = {}) => {
    const client = await connectChecked({ url, token, reconnect: { minMs: 1, maxMs: 10 }, ...more });
    onTestFinished(() => client.close());
    const session = client.session('s');
    await session.joined;
    return { client, session };
  };
  const pass = <T>(condition: () => T | false | null | undefined) =>
    until(async () => {
      await harness.clock.advance(10);
      return condition();
    });
  /** Advances time until the promise has settled. */
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const over = () => {
      settled = true;
    };
    promise.then(over, over);
    await pass(() => settled);
    return promise;
  };
  return { harness, url, gateway, enter, pass, settle };
}

describe('a signal', () => {
  test('that is aborted cancels the turn, and the loop ends with its outcome [cancel.settled]', async () => {
    const { harness, enter, pass, settle } = await start({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    const { session } = await enter();
    const controller = new AbortController();
    const turn = session.say('work', { signal: controller.signal });
    const events: TurnEvent[] = [];
    const reading = (async () => {
      for await (const event of turn) events.push(event);
    })();
    await pass(() => harness.entered.length === 1);
    controller.abort(new Error('the page was closed'));
    await settle(reading);
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'cancelled' });
    expect(events.find(({ type }) => type === 'cancel_accepted')).toMatchObject({ reason: 'the page was closed' });
  });

  test('that was aborted before the SAY sends nothing', async () => {
    const { harness, enter } = await start();
    const { session } = await enter();
    const turn = session.say('work', { signal: AbortSignal.abort(new Error('never mind')) });
    await expect(turn.ended).rejects.toThrow('never mind');
    await expect(turn.opened).rejects.toThrow('never mind');
    await harness.clock.advance(100);
    expect(harness.recorder.of('turn_opened')).toEqual([]);
  });

  test('has no listener of the turn after its end', async () => {
    const { enter, settle } = await start();
    const { session } = await enter();
    const controller = new AbortController();
    const listeners: string[] = [];
    const { addEventListener, removeEventListener } = controller.signal;
    controller.signal.addEventListener = ((...args: Parameters<typeof addEventListener>) => {
      listeners.push(args[0]);
      addEventListener.apply(controller.signal, args);
    }) as typeof addEventListener;
    controller.signal.removeEventListener = ((...args: Parameters<typeof removeEventListener>) => {
      listeners.splice(listeners.indexOf(args[0]), 1);
      removeEventListener.apply(controller.signal, args);
    }) as typeof removeEventListener;
    await settle(session.say('work', { signal: controller.signal }).ended);
    await until(() => listeners.length === 0);
  });
});

describe('leaving the loop', () => {
  test('cancels nothing', async () => {
    const { harness, enter, pass } = await start({ respond: callsOnce(['wait', { ms: 100 }]) });
    const { session } = await enter();
    const reading = (async () => {
      for await (const { type } of session.say('work')) if (type === 'turn_started') break;
    })();
    await pass(() => harness.recorder.of('turn_ended').length === 1);
    await reading;
    expect(harness.recorder.of('turn_ended')).toMatchObject([{ outcome: 'completed' }]);
  });

  test('cancels the turn with `cancelOnBreak`', async () => {
    const { harness, enter, pass } = await start({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    const { session } = await enter();
    const reading = (async () => {
      for await (const { type } of session.say('work', { cancelOnBreak: true })) if (type === 'turn_started') break;
    })();
    await pass(() => harness.recorder.of('turn_ended').length === 1);
    await reading;
    expect(harness.recorder.of('turn_ended')).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

test('one call is stopped by its id, and the turn goes on [cancel.tool]', async () => {
  const { harness, enter, pass, settle } = await start({
    respond: callsOnce(['wait', { ms: 60_000 }], ['wait', { ms: 500 }]),
  });
  const { session } = await enter();
  const turn = session.say('work');
  await pass(() => harness.entered.length === 2);
  const tool = turn.tool(harness.callNamed('wait'));
  const cancel = tool.cancel({ reason: 'this one' });
  expect(await settle(cancel.accepted)).toMatchObject({ type: 'cancel_accepted', stopping: [tool.id] });
  expect((await settle(cancel.settled))?.nodes).toMatchObject([{ node: tool.id, outcome: 'cancelled' }]);
  expect(await settle(tool.ended)).toMatchObject({ outcome: 'cancelled', node: tool.id });
  expect(await settle(turn.tool(harness.callNamed('wait', 1)).ended)).toMatchObject({ outcome: 'completed' });
  expect(await settle(turn.reply())).toBe('done');
  await expect(turn.tool('call_nowhere').cancel().accepted).resolves.toMatchObject({ type: 'unknown_target' });
});

test('the reply of a turn that did not complete rejects with its outcome', async () => {
  const { harness, enter, pass, settle } = await start({ respond: callsOnce(['wait', { ms: 60_000 }]) });
  const { session } = await enter();
  const turn = session.say('work');
  await pass(() => harness.entered.length === 1);
  turn.cancel();
  await expect(settle(turn.reply())).rejects.toMatchObject({ name: 'TurnNotCompleted', outcome: 'cancelled' });
});

describe('a connection that breaks', () => {
  test('is reported; the turn goes on over the next one without a gap [ws.resume]', async () => {
    const words = Array.from({ length: 40 }, (_, i) => `word${i} `);
    const { url, enter, settle, pass } = await start({ respond: () => textResponse(...words) });
    const proxy = await startProxy({ target: url });
    const { client, session } = await enter({ url: proxy.url });
    const states: ClientState['kind'][] = [];
    client.on('state', ({ kind }) => states.push(kind));
    const turn = session.say('talk');
    let text = '';
    const reading = (async () => {
      for await (const event of turn) if (event.type === 'text_delta') text += event.text;
    })();
    for (const upTo of ['word5 ', 'word20 ', 'word30 ']) {
      await pass(() => text.includes(upTo));
      proxy.cutAll();
      await pass(() => client.state.kind === 'open' && session.state === 'joined');
    }
    await settle(reading);
    expect(text).toBe(words.join(''));
    expect(await turn.reply()).toBe(text);
    expect(states.slice(0, 2)).toEqual(['reconnecting', 'open']);
    expect(client.roles).toEqual(['moderator']);
  });

  test('and a gateway that restarts at another address: the receipt arrives [store.durable] [ws.resume]', async () => {
    const log = createMemoryLog();
    const first = await start({ log, respond: callsOnce(['ignores_signal', { ms: 60_000 }]) });
    const proxy = await startProxy({ target: first.url });
    const { client, session } = await first.enter({ url: proxy.url });
    const turn = session.say('work');
    await first.pass(() => first.harness.entered.length === 1);
    const cancel = turn.cancel({ reason: 'too slow' });
    await first.settle(cancel.accepted);
    proxy.cutAll();
    proxy.target = 'ws://127.0.0.1:9/belay';
    await until(() => client.state.kind === 'reconnecting' && client.state.failures > 2);
    await expect(session.say('meanwhile').opened).rejects.toMatchObject({ name: 'NotConnected' });

    const second = await start({ log, life: 2, respond: () => textResponse('back') });
    proxy.target = second.url;
    const waiting = session.say('hello again', { whileDisconnected: 'wait' });
    expect((await second.settle(cancel.settled))?.nodes[0]).toMatchObject({ node: turn.id, outcome: 'cancelled' });
    expect(await second.settle(turn.ended)).toMatchObject({ outcome: 'cancelled' });
    expect(await second.settle(waiting.reply())).toBe('back');
  });
});

test('a client refuses commands before its first connection, and sends the waiting ones as soon as it is connected', async () => {
  const { url, settle } = await start();
  const proxy = await startProxy({ target: url, faults: { refuse: 1 }, chance: () => 0 });
  const client = createCheckedClient({ url: proxy.url, token, reconnect: { minMs: 1, maxMs: 10 } });
  onTestFinished(() => client.close());
  const session = client.session('s');
  const received: ServerFrame[] = [];
  session.on('*', (frame) => received.push(frame));
  await expect(session.say('too early').opened).rejects.toMatchObject({ name: 'NotConnected' });
  const turn = session.say('hello', { whileDisconnected: 'wait' });
  await until(() => proxy.done.refuse > 2);
  await pause(1);
  expect(client.state.kind).toBe('reconnecting');
  proxy.faults = { ...proxy.faults, refuse: 0 };
  expect(await settle(turn.reply())).toBe('hello');
  expect(received[0]).toMatchObject({ type: 'joined' });
});

test('a client is closed at the end of its scope', async () => {
  const { enter, gateway } = await start();
  {
    await using client = (await enter()).client;
    expect(gateway.size).toBe(1);
    expect(client.state.kind).toBe('open');
  }
  await until(() => gateway.size === 0);
});

test('the reasoning of a model and the arguments of a call that it writes are events of the turn', async () => {
  const { enter, settle } = await start({
    respond: () => ({ steps: [{ reasoning: 'Let me see.' }, { text: 'Noon.' }] }),
  });
  const { session } = await enter();
  const turn = session.say('what time is it?');
  const events: TurnEvent[] = [];
  await settle(
    (async () => {
      for await (const event of turn) events.push(event);
    })(),
  );
  const types = events.map(({ type }) => type);
  expect(events.find(({ type }) => type === 'reasoning_delta')).toMatchObject({ index: 0, text: 'Let me see.' });
  expect(types.indexOf('model_started')).toBeLessThan(types.indexOf('reasoning_delta'));
  expect(types.indexOf('reasoning_delta')).toBeLessThan(types.indexOf('text_delta'));
});

test('a model that sends nothing is an event of the turn, until the turn is stopped', async () => {
  const { harness, enter, pass, settle } = await start({
    limits: { progressMs: 100 },
    respond: () => ({ steps: [{ text: 'One.' }, { hang: true }] }),
  });
  const { session } = await enter();
  const turn = session.say('count');
  const waits: number[] = [];
  const reading = (async () => {
    for await (const event of turn) if (event.type === 'model_waiting') waits.push(event.elapsedMs);
  })();
  await pass(() => waits.length === 2);
  expect(waits).toEqual([100, 200]);
  turn.cancel();
  await settle(reading);
  await harness.clock.advance(60_000);
  expect(waits).toHaveLength(2);
});
