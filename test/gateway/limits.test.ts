// Clients that misbehave: each is told by name, then dropped by name, and nobody else notices.
import { describe, expect, test } from 'vitest';
import { createFakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

async function start(limits = {}) {
  const runtime = createFakeRuntime();
  return { runtime, ...(await startGateway({ runtime, limits })) };
}

describe('frames that are not good', () => {
  test.each([
    ['no JSON', 'hello', 'not_json'],
    ['bytes', new Uint8Array([1, 2, 3]), 'not_text'],
    ['an array', '[]', 'not_a_frame'],
    ['an unknown type', '{"type":"STEER"}', 'unknown_type'],
    ['a spoofed owner', '{"type":"CANCEL","ref":"c","target":"session","owner":"ann"}', 'unknown_field'],
  ])('%s gets a named error, and the connection lives [ws.protocol]', async (_, text, code) => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    client.send(text);
    expect(await client.waitFor('error')).toMatchObject({ code });
    client.send({ type: 'SAY', ref: 's', text: 'still here' });
    await client.waitFor('turn_opened', { ref: 's' });
    expect(runtime.asked.map(({ what }) => what)).toEqual(['join', 'say']);
  });

  test('a frame over the limit is refused with the limit; far over it the socket closes [ws.limits]', async () => {
    const { url } = await start({ frameBytes: 1_000 });
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'SAY', ref: 's', text: 'x'.repeat(1_000) });
    expect(await client.waitFor('error')).toMatchObject({ code: 'frame_too_large', limit: 1_000 });
    client.send('x'.repeat(4_001));
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  test('who goes on with bad frames is dropped by name, others are not [ws.limits]', async () => {
    const { url } = await start({ errorBurst: 3, errorsPerSecond: 0.001 });
    const [bad, good] = [await connectRaw(url), await connectRaw(url)];
    await good.hello();
    for (let i = 0; i < 5; i++) bad.send('nonsense');
    expect(await bad.closed()).toEqual({ code: 4400, reason: 'too_many_errors' });
    expect(bad.all('error')).toHaveLength(3);
    await good.join('demo');
  });

  test('text that is not UTF-8 is refused by the socket', async () => {
    const { url } = await start();
    const client = await connectRaw(url);
    client.socket.send(new Uint8Array([0xff, 0xfe]), { binary: false });
    expect(await client.closed()).toMatchObject({ code: 1007 });
  });
});

describe('rate', () => {
  test('past the rate frames are refused, and a CANCEL still passes [ws.limits]', async () => {
    const { url, runtime } = await start({ framesPerSecond: 0.001, frameBurst: 3, errorBurst: 5 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    client.send({ type: 'SAY', ref: 's1', text: 'one' });
    client.send({ type: 'SAY', ref: 's2', text: 'two' });
    expect(await client.waitFor('error', { ref: 's2' })).toMatchObject({ code: 'rate_limited', limit: 0.001 });
    client.send({ type: 'CANCEL', ref: 'c', target: 'mine' });
    await client.waitFor('unknown_target', { ref: 'c' });
    expect(runtime.asked.map(({ what }) => what)).toEqual(['join', 'say', 'cancel']);
  });

  test('a flood is dropped by name [ws.limits]', async () => {
    const { url, runtime } = await start({ framesPerSecond: 5, frameBurst: 5 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    for (let i = 0; i < 500; i++) client.send({ type: 'SAY', ref: `s${i}`, text: 'x' });
    expect(await client.closed()).toEqual({ code: 4429, reason: 'flood' });
    expect(runtime.asked.length).toBeLessThan(20);
  });

  test('a flood of CANCELs is dropped too [ws.limits]', async () => {
    const { url, runtime } = await start({ framesPerSecond: 1, frameBurst: 3, cancelsPerSecond: 1, cancelBurst: 4 });
    const client = await connectRaw(url);
    await client.hello();
    await client.join('demo');
    for (let i = 0; i < 500; i++) client.send({ type: 'CANCEL', ref: `c${i}`, target: 'mine' });
    expect(await client.closed()).toMatchObject({ reason: 'flood' });
    expect(runtime.asked.length).toBeLessThan(10);
  });

  test('commands that wait for their answer are bounded; a CANCEL is not held up by them [ws.limits]', async () => {
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

  test('what is sent before the speaker is known is bounded too', async () => {
    const runtime = createFakeRuntime();
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
    await connectRaw(url);
    expect(await refusedUpgrade(url)).toBe(503);
    first.socket.terminate();
    await until(() => gateway.size === 1);
    await connectRaw(url);
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

  test('who says no HELLO is closed by name [ws.limits]', async () => {
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
    expect(runtime.asked.filter(({ what }) => what === 'leave')).toMatchObject([{ how: 'lost' }]);
    alive.send({ type: 'SAY', ref: 's', text: 'hi' });
    await alive.waitFor('turn_opened', { ref: 's' });
  });

  test('a peer that does not answer the close is cut [ws.limits]', async () => {
    const { url, gateway } = await start({ heartbeatMs: 40, closeMs: 40 });
    const client = await connectRaw(url, { pongs: false });
    await client.hello();
    client.socket.pause(); // it reads nothing any more, the close frame included
    await until(() => gateway.size === 0);
  });
});

describe('a slow reader', () => {
  const block = { turn: 'turn_1', index: 0 };

  test('gets merged deltas, and everything in order when it reads again [ws.limits]', async () => {
    const { url, runtime } = await start({ socketBytes: 4_096 });
    const [slow, quick] = [await connectRaw(url), await connectRaw(url)];
    for (const client of [slow, quick]) {
      await client.hello();
      await client.join('demo');
    }
    slow.socket.pause();
    const place = runtime.place('demo');
    const piece = 'x'.repeat(1_000);
    const pieces = 6_000; // 6 MB: more than the buffers of the two sockets hold
    for (let i = 0; i < pieces; i++) {
      for (const listener of place.listeners()) listener.text({ ...block, offset: i * piece.length, text: piece });
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    place.tell({ type: 'tool_started', turn: 'turn_1', node: 'call_1' });
    await quick.waitFor('tool_started');
    expect(quick.all('text_delta')).toHaveLength(pieces);
    slow.socket.resume();
    await slow.waitFor('tool_started');
    await until(
      () => slow.all('text_delta').reduce((sum, { text }) => sum + String(text).length, 0) === pieces * piece.length,
    );
    const deltas = slow.all('text_delta');
    expect(deltas.length).toBeLessThan(pieces);
    let offset = 0;
    for (const delta of deltas) {
      expect(delta['offset']).toBe(offset);
      offset += String(delta['text']).length;
    }
  });

  test('is sent no delta of what has ended or is being stopped meanwhile [cancel.accepted]', async () => {
    const { url, runtime } = await start({ socketBytes: 4_096 });
    const slow = await connectRaw(url);
    await slow.hello();
    await slow.join('demo');
    slow.socket.pause();
    const place = runtime.place('demo');
    const stream = (turn: string, index: number) => {
      for (const listener of place.listeners()) listener.text({ turn, index, offset: 0, text: 'late' });
    };
    for (let i = 0; i < 3_000; i++) {
      place.tell({
        type: 'tool_result',
        turn: 'turn_0',
        node: 'call',
        outcome: 'completed',
        effect: 'none',
        output: 'x'.repeat(2_000),
      });
    }
    stream('turn_1', 0);
    stream('turn_2', 0);
    stream('turn_3', 0);
    stream('turn_4', 0);
    const receipt = {
      cancel: 'x',
      ref: 'r',
      source: 'client',
      by: 'local',
      reason: null,
      target: 'session',
      force: false,
    } as const;
    const lists = { pending: [], refused: [], detached: [] } as const;
    for (const listener of place.listeners()) {
      listener.accepted({ type: 'cancel_accepted', ...receipt, stopping: ['turn_1'], ...lists });
    }
    place.tell({ type: 'cancel_accepted', ...receipt, stopping: ['turn_2'], ...lists });
    const usage = { kind: 'unknown', input: null, output: null } as const;
    place.tell({
      type: 'model_ended',
      turn: 'turn_3',
      index: 0,
      outcome: 'completed',
      text: 'late',
      cutOff: false,
      usage,
    });
    slow.socket.resume();
    await slow.waitFor('text_delta');
    expect(slow.all('text_delta').map(({ turn }) => turn)).toEqual(['turn_4']);
  });

  test('is dropped by name when too much waits, and the others never wait for it [ws.limits]', async () => {
    const { url, runtime, gateway } = await start({ socketBytes: 4_096, queueBytes: 100_000, closeMs: 5_000 });
    const [slow, quick] = [await connectRaw(url), await connectRaw(url)];
    for (const client of [slow, quick]) {
      await client.hello();
      await client.join('demo');
    }
    slow.socket.pause();
    const place = runtime.place('demo');
    let told = 0;
    await until(
      () => {
        for (let i = 0; i < 50; i++, told++) {
          place.tell({
            type: 'tool_result',
            turn: 'turn_1',
            node: `call_${told}`,
            outcome: 'completed',
            effect: 'none',
            output: 'x'.repeat(2_000),
          });
        }
        return place.listeners().length === 1;
      },
      { ms: 20_000, what: 'the drop of the slow reader' },
    );
    expect(runtime.asked.at(-1)).toMatchObject({ what: 'leave', how: 'lost' });
    await until(() => quick.all('tool_result').length === told, { ms: 20_000 });
    slow.socket.resume();
    expect(await slow.closed()).toEqual({ code: 4414, reason: 'slow_reader' });
    await until(() => gateway.size === 1);
  });

  test('that never reads again is cut [ws.limits]', async () => {
    const { url, runtime, gateway } = await start({ socketBytes: 4_096, queueBytes: 100_000, closeMs: 40 });
    const slow = await connectRaw(url);
    await slow.hello();
    await slow.join('demo');
    slow.socket.pause();
    const place = runtime.place('demo');
    await until(
      () => {
        for (let i = 0; i < 50; i++) {
          place.tell({
            type: 'tool_result',
            turn: 'turn_1',
            node: 'call',
            outcome: 'completed',
            effect: 'none',
            output: 'x'.repeat(2_000),
          });
        }
        return place.listeners().length === 0;
      },
      { ms: 20_000 },
    );
    await until(() => gateway.size === 0);
  });
});
