// Limits of a gateway: a client past one gets a named error, then a named close, and the others notice nothing.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { subprotocol } from '../../src/wire/frame-limits.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

async function start(limits = {}) {
  const runtime = new FakeRuntime();
  return { runtime, ...(await startGateway({ runtime, limits })) };
}

describe('invalid frames', () => {
  test.each([
    ['no JSON', 'hello', 'not_json'],
    ['bytes', new Uint8Array([1, 2, 3]), 'not_text'],
    ['an array', '[]', 'not_a_frame'],
    ['an unknown type', '{"type":"STAMP"}', 'unknown_type'],
    ['a spoofed owner', '{"type":"CANCEL","ref":"c","target":"session","owner":"ann"}', 'unknown_field'],
  ])('%s gets a named error, and the connection stays open [ws.protocol]', async (_, text, code) => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    client.send(text);
    expect(await client.waitFor('error')).toMatchObject({ code });
    client.send({ type: 'SAY', ref: 's', text: 'still here' });
    await client.waitFor('turn_opened', { ref: 's' });
    expect(runtime.calls.map(({ command }) => command)).toEqual(['join', 'say']);
  });

  test('a frame over the limit is rejected with the limit; far over it the socket closes [ws.limits]', async () => {
    const { url } = await start({ frameBytes: 1_000 });
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'SAY', ref: 's', text: 'x'.repeat(1_000) });
    expect(await client.waitFor('error')).toMatchObject({ code: 'frame_too_large', limit: 1_000 });
    client.send('x'.repeat(4_001));
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  test('a client that goes on with invalid frames is closed by name, others are not [ws.limits]', async () => {
    const { url } = await start({ errorBurst: 3, errorsPerSecond: 0.001 });
    const [bad, good] = [await connectRaw(url), await connectRaw(url)];
    await good.hello();
    for (let i = 0; i < 5; i++) bad.send('nonsense');
    expect(await bad.closed()).toEqual({ code: 4400, reason: 'too_many_errors' });
    expect(bad.all('error')).toHaveLength(3);
    await good.join('demo');
  });

  test('text that is not UTF-8 is rejected by the socket', async () => {
    const { url } = await start();
    const client = await connectRaw(url);
    client.socket.send(new Uint8Array([0xff, 0xfe]), { binary: false });
    expect(await client.closed()).toMatchObject({ code: 1007 });
  });
});

describe('rate', () => {
  test('past the rate frames are rejected, and a CANCEL is still performed [ws.limits]', async () => {
    const { url, runtime } = await start({ framesPerSecond: 0.001, frameBurst: 3, errorBurst: 5 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    client.send({ type: 'SAY', ref: 's1', text: 'one' });
    client.send({ type: 'SAY', ref: 's2', text: 'two' });
    expect(await client.waitFor('error', { ref: 's2' })).toMatchObject({ code: 'rate_limited', limit: 0.001 });
    client.send({ type: 'PLAYED', ref: 'p1', turn: 'turn_1', index: 0, offset: 0 });
    expect(await client.waitFor('error', { ref: 'p1' })).toMatchObject({ code: 'rate_limited' });
    client.send({ type: 'CANCEL', ref: 'c', target: 'mine' });
    await client.waitFor('unknown_target', { ref: 'c' });
    expect(runtime.calls.map(({ command }) => command)).toEqual(['join', 'say', 'cancel']);
  });

  test('a flood is closed by name [ws.limits]', async () => {
    const { url, runtime } = await start({ framesPerSecond: 5, frameBurst: 5 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    for (let i = 0; i < 500; i++) client.send({ type: 'SAY', ref: `s${i}`, text: 'x' });
    expect(await client.closed()).toEqual({ code: 4429, reason: 'flood' });
    expect(runtime.calls.length).toBeLessThan(20);
  });

  test('a flood of CANCELs is closed too [ws.limits]', async () => {
    const { url, runtime } = await start({ framesPerSecond: 1, frameBurst: 3, cancelsPerSecond: 1, cancelBurst: 4 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    for (let i = 0; i < 500; i++) client.send({ type: 'CANCEL', ref: `c${i}`, target: 'mine' });
    expect(await client.closed()).toMatchObject({ reason: 'flood' });
    expect(runtime.calls.length).toBeLessThan(10);
  });

  test('commands without a reply are bounded; a CANCEL does not wait for them [ws.limits]', async () => {
    const { url, runtime } = await start({ unanswered: 2 });
    runtime.onSay = () => new Promise(() => {});
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    for (const ref of ['s1', 's2', 's3']) client.send({ type: 'SAY', ref, text: 'x' });
    client.send({ type: 'CANCEL', ref: 'c', target: 'mine' });
    expect(await client.waitFor('error', { ref: 's3' })).toMatchObject({ code: 'too_many_unanswered', limit: 2 });
    await client.waitFor('unknown_target', { ref: 'c' });
  });

  test('commands before the speaker is known are bounded too', async () => {
    const runtime = new FakeRuntime();
    const authenticator = { kind: 'local', verify: () => new Promise<never>(() => {}) } as const;
    const { url } = await startGateway({ runtime, authenticator, limits: { unanswered: 1 } });
    const client = await connectRaw(url);
    client.send({ type: 'HELLO' });
    client.send({ type: 'JOIN', ref: 'j1', session: 'a' });
    client.send({ type: 'JOIN', ref: 'j2', session: 'b' });
    expect(await client.waitFor('error')).toMatchObject({ ref: 'j2', code: 'too_many_unanswered' });
  });
});

describe('numbers', () => {
  test('sessions of a connection [ws.limits]', async () => {
    const { url } = await start({ sessions: 2 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('a');
    await client.join('b');
    client.send({ type: 'JOIN', ref: 'j', session: 'c' });
    expect(await client.waitFor('error', { ref: 'j' })).toMatchObject({ code: 'too_many_sessions', limit: 2 });
  });

  test('connections in all [ws.limits]', async () => {
    const { url, gateway } = await start({ connections: 2 });
    const first = await connectRaw(url);
    for (const client of [first, await connectRaw(url)]) await client.hello();
    expect(await refusedUpgrade(url)).toBe(503);
    first.socket.terminate();
    await until(() => gateway.size === 1);
    await connectRaw(url);
  });

  test('an upgrade that is refused says whether there are too many connections, or a shutdown [ws.limits]', async () => {
    const { url, gateway } = await start({ connections: 1 });
    const client = await connectRaw(url);
    await client.hello();
    const sentenceOf = async () => {
      const [, response] = await once(new WebSocket(url, subprotocol), 'unexpected-response');
      response.destroy();
      return response.statusMessage;
    };
    expect(await sentenceOf()).toBe('Too many connections.');
    void gateway.close();
    expect(await sentenceOf()).toBe('The gateway is shutting down.');
  });

  test('connections of a speaker [ws.limits]', async () => {
    const { url, gateway } = await start({ connectionsPerSpeaker: 1 });
    const first = await connectRaw(url);
    await first.hello();
    const second = await connectRaw(url);
    second.send({ type: 'HELLO' });
    expect(await second.closed()).toEqual({ code: 4430, reason: 'too_many_connections' });
    first.socket.close(1000);
    await until(() => gateway.size === 0);
    await (await connectRaw(url)).hello();
  });

  test('a client without HELLO is closed by name [ws.limits]', async () => {
    const { url } = await start({ helloMs: 30 });
    const client = await connectRaw(url);
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    expect(await client.closed()).toEqual({ code: 4408, reason: 'hello_timeout' });
  });
});

describe('silence', () => {
  test('a peer that answers no ping is closed by name; one that does stays [ws.limits]', async () => {
    const { url, runtime } = await start({ heartbeatMs: 40 });
    const [dead, alive] = [await connectRaw(url, { pongs: false }), await connectRaw(url)];
    for (const client of [dead, alive]) {
      await client.hello();
      await client.join('demo');
    }
    expect(await dead.closed()).toEqual({ code: 4409, reason: 'heartbeat_lost' });
    expect(runtime.calls.filter(({ command }) => command === 'leave')).toMatchObject([{ how: 'lost' }]);
    alive.send({ type: 'SAY', ref: 's', text: 'hi' });
    await alive.waitFor('turn_opened', { ref: 's' });
  });

  test('a peer that does not answer the close is terminated [ws.limits]', async () => {
    const { url, gateway } = await start({ heartbeatMs: 40, closeMs: 40 });
    const client = await connectRaw(url, { pongs: false });
    await client.hello();
    client.socket.pause(); // it reads nothing any more, the close frame included
    await until(() => gateway.size === 0);
  });
});
