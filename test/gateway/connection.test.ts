// A connection over real sockets: HELLO, its sessions, its close.

import { describe, expect, test } from 'vitest';
import { HeldElsewhere } from '../../src/core/contracts/log.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

async function start(limits = {}) {
  const runtime = new FakeRuntime();
  const { url, gateway, reports } = await startGateway({ runtime, limits });
  return { runtime, url, gateway, reports };
}

describe('hello', () => {
  test('welcome carries the speaker, and the limits [ws.protocol]', async () => {
    const { url } = await start();
    const client = await connectRaw(url);
    expect(await client.hello()).toMatchObject({
      protocol: 'belay.v1',
      speaker: 'local',
      roles: ['member'],
      limits: { frameBytes: 65_536 },
    });
  });

  test('a command before HELLO is rejected, and the connection stays open', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    client.send({ type: 'CANCEL', ref: 'c1', target: 'session' });
    expect(await client.waitFor('error', { ref: 'c1' })).toMatchObject({ code: 'hello_expected' });
    await client.hello();
    expect(runtime.calls).toEqual([]);
  });

  test('HELLO is accepted once', async () => {
    const { url } = await start();
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'HELLO' });
    expect(await client.waitFor('error')).toMatchObject({ code: 'hello_repeated' });
  });

  test('commands sent together with HELLO and JOIN are performed in their order', async () => {
    const { url, runtime } = await start();
    runtime.onOpen = () => new Promise((resolve) => setImmediate(resolve));
    const client = await connectRaw(url);
    client.send({ type: 'HELLO' });
    client.send({ type: 'JOIN', ref: 'j', session: 'demo' });
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    client.send({ type: 'CANCEL', ref: 'c', target: 'say:s' });
    client.send({ type: 'LEAVE', ref: 'l' });
    client.send({ type: 'JOIN', ref: 'j2', session: 'demo' });
    await client.waitFor('joined', { ref: 'j2' });
    expect(runtime.calls.map(({ command }) => command)).toEqual(['join', 'say', 'cancel', 'leave', 'join']);
  });
});

describe('sessions', () => {
  test('JOIN with `after` replays facts with their sequence numbers; withheld ones leave a gap [ws.resume]', async () => {
    const { url, runtime } = await start();
    const demo = runtime.session('demo');
    demo.publish({ type: 'session_opened', kind: 'text', policy: 'anyone' });
    demo.publish({ type: 'model_started', turn: 'turn_1', index: 0 });
    demo.publish({ type: 'text_checkpoint', turn: 'turn_1', index: 0, offset: 0, text: 'secret' });
    demo.publish({ type: 'process_started', node: 'call_1', group: 1, startTime: '1' });
    demo.publish({ type: 'tool_started', turn: 'turn_1', node: 'call_1' });
    const client = await connectRaw(url);
    await client.hello();
    expect(await client.join('demo', 1)).toMatchObject({ session: 'demo', kind: 'text', policy: 'anyone', seq: 5 });
    await client.waitFor('tool_started');
    const facts = client.frames.filter((frame) => 'seq' in frame && frame.type !== 'joined');
    expect(facts.map(({ type, seq }) => [type, seq])).toEqual([
      ['model_started', 2],
      ['tool_started', 5],
    ]);
    expect(facts[0]).toEqual({ type: 'model_started', session: 'demo', seq: 2, at: 1_002, turn: 'turn_1', index: 0 });
  });

  test('a client that joins in mid-stream gets the text so far, and deltas from its offset on [ws.resume]', async () => {
    const { url, runtime } = await start();
    runtime.blocks = [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hel' }];
    const client = await connectRaw(url);
    await client.hello();
    expect(await client.join('demo')).toMatchObject({ blocks: [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hel' }] });
    for (const listener of runtime.session('demo').listeners())
      listener.text({ turn: 'turn_1', index: 0, offset: 3, text: 'lo' });
    expect(await client.waitFor('text_delta')).toEqual({
      type: 'text_delta',
      session: 'demo',
      turn: 'turn_1',
      index: 0,
      offset: 3,
      text: 'lo',
    });
  });

  test('`session` may be left out while one is joined, and must be named among several', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'SAY', ref: 's0', text: 'hi' });
    expect(await client.waitFor('error', { ref: 's0' })).toMatchObject({ code: 'not_joined' });
    await client.join('a');
    client.send({ type: 'SAY', ref: 's1', text: 'hi' });
    await client.waitFor('turn_opened', { ref: 's1', session: 'a' });
    await client.join('b');
    client.send({ type: 'SAY', ref: 's2', text: 'hi' });
    expect(await client.waitFor('error', { ref: 's2' })).toMatchObject({ code: 'session_required', field: 'session' });
    client.send({ type: 'SAY', ref: 's3', session: 'b', text: 'hi' });
    await client.waitFor('turn_opened', { ref: 's3', session: 'b' });
    expect(runtime.calls.filter(({ command }) => command === 'say')).toHaveLength(2);
  });

  test('a session is joined once at a time, and after LEAVE nothing of it is sent', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    await client.join('a');
    client.send({ type: 'JOIN', ref: 'again', session: 'a' });
    expect(await client.waitFor('error', { ref: 'again' })).toMatchObject({ code: 'already_joined' });
    const [listener] = runtime.session('a').listeners();
    client.send({ type: 'LEAVE', ref: 'l' });
    expect(await client.waitFor('left', { ref: 'l' })).toEqual({ type: 'left', ref: 'l', session: 'a' });
    listener?.text({ turn: 'turn_1', index: 0, offset: 0, text: 'late' });
    client.send({ type: 'LEAVE', ref: 'l2' });
    await client.waitFor('error', { ref: 'l2', code: 'not_joined' });
    expect(client.all('text_delta')).toEqual([]);
  });

  test('a session that cannot be opened gets an error as reply, and others go on', async () => {
    const { url, runtime } = await start();
    runtime.onOpen = async (id) => {
      if (id === 'broken') throw new Error('the disk is gone');
    };
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'JOIN', ref: 'j', session: 'broken' });
    client.send({ type: 'SAY', ref: 's', session: 'broken', text: 'hi' });
    expect(await client.waitFor('error', { ref: 'j' })).toMatchObject({ code: 'unavailable' });
    expect(await client.waitFor('error', { ref: 's' })).toMatchObject({ code: 'not_joined' });
    await client.join('fine');
  });

  test('a session that another host holds gets held_elsewhere as reply to JOIN, however often it is tried [store.durable.holder]', async () => {
    const { url, runtime } = await start();
    runtime.onOpen = async (id) => {
      throw new HeldElsewhere(id);
    };
    const client = await connectRaw(url);
    await client.hello();
    // twice what a client may do wrong
    for (let n = 0; n < 40; n++) {
      client.send({ type: 'JOIN', ref: `j${n}`, session: 's' });
      expect(await client.waitFor('error', { ref: `j${n}` })).toMatchObject({
        code: 'held_elsewhere',
        session: 's',
        message: expect.stringContaining('Another host holds the session s.'),
      });
    }
  });

  test('a client that closes with 1000 has left its sessions; one whose connection breaks is lost', async () => {
    const { url, runtime, gateway } = await start();
    for (const [end, how] of [
      ['close', 'left'],
      ['terminate', 'lost'],
    ] as const) {
      const client = await connectRaw(url);
      await client.hello();
      await client.join('a');
      if (end === 'close') client.socket.close(1000);
      else client.socket.terminate();
      expect(
        await until(() => runtime.calls.find((call) => call.command === 'leave' && call.how === how)),
      ).toBeTruthy();
    }
    await until(() => gateway.size === 0);
  });

  test('a client that disconnects while its session is being opened does not stay in it', async () => {
    const { url, runtime, gateway } = await start();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    runtime.onOpen = () => opened;
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'JOIN', ref: 'j', session: 'slow' });
    client.socket.terminate();
    await until(() => gateway.size === 0);
    open();
    await opened;
    await new Promise((resolve) => setImmediate(resolve));
    expect(runtime.session('slow').listeners()).toEqual([]);
  });

  test('a client that disconnects during its JOIN does not stay in the session', async () => {
    const { url, runtime, gateway } = await start();
    const { promise: joined, resolve: join } = Promise.withResolvers<void>();
    runtime.onJoin = () => joined;
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'JOIN', ref: 'j', session: 'slow' });
    await until(() => runtime.calls.length === 1);
    client.socket.terminate();
    await until(() => gateway.size === 0);
    join();
    await until(() => runtime.calls.at(-1)?.command === 'leave');
    expect(runtime.session('slow').listeners()).toEqual([]);
  });

  test('a client that leaves and joins again at once is in the session, once', async () => {
    const { url, runtime } = await start();
    const { promise: joined, resolve: join } = Promise.withResolvers<void>();
    runtime.onJoin = () => joined;
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'JOIN', ref: 'j1', session: 'a' });
    client.send({ type: 'LEAVE', ref: 'l', session: 'a' });
    client.send({ type: 'JOIN', ref: 'j2', session: 'a' });
    client.send({ type: 'SAY', ref: 's', session: 'a', text: 'hi' });
    await until(() => runtime.calls.length > 0);
    join();
    await client.waitFor('turn_opened', { ref: 's' });
    expect(client.frames.map(({ type }) => type)).toEqual(['welcome', 'joined', 'left', 'joined', 'turn_opened']);
    expect(runtime.calls.map(({ command }) => command)).toEqual(['join', 'leave', 'join', 'say']);
    expect(runtime.session('a').listeners()).toHaveLength(1);
  });

  test('the end of a session has a reason; after the last session the connection is closed by it', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    await client.join('a');
    await client.join('b');
    runtime.session('a').listeners()[0]?.ended('fenced');
    expect(await client.waitFor('left')).toEqual({ type: 'left', session: 'a', reason: 'fenced' });
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    await client.waitFor('turn_opened', { session: 'b' });
    runtime.session('b').listeners()[0]?.ended('store_failed');
    expect(await client.closed()).toEqual({ code: 4451, reason: 'store_failed' });
  });

  test('a shutdown closes every connection by its name [ops.shutdown]', async () => {
    const { url, runtime, gateway } = await start();
    const joined = await connectRaw(url);
    await joined.hello();
    await joined.join('a');
    const silent = await connectRaw(url);
    await runtime.close();
    const closing = gateway.close();
    expect(await joined.closed()).toEqual({ code: 4450, reason: 'shutdown' });
    expect(await silent.closed()).toEqual({ code: 4450, reason: 'shutdown' });
    await closing;
    expect(gateway.size).toBe(0);
  });
});
