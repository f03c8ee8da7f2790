// The life of a connection over real sockets: hello, sessions, commands and their answers.
import { describe, expect, test } from 'vitest';
import type { CancelAccepted, CancelSettled } from '../../machines/facts.ts';
import { createFakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const receipt = (fields: Partial<CancelAccepted> = {}): CancelAccepted => ({
  type: 'cancel_accepted',
  cancel: 'cancel_1',
  ref: 'c1',
  source: 'client',
  by: 'local',
  reason: null,
  target: 'turn_1',
  force: false,
  stopping: ['turn_1'],
  pending: [],
  refused: [],
  detached: [],
  ...fields,
});
const settledReceipt: CancelSettled = {
  type: 'cancel_settled',
  cancel: 'cancel_1',
  ref: 'c1',
  cause: { source: 'client', by: 'local', reason: null, target: 'turn_1' },
  nodes: [{ node: 'turn_1', kind: 'turn', outcome: 'cancelled', effect: 'none', ms: 3 }],
};

async function start(limits = {}) {
  const runtime = createFakeRuntime();
  const { url, gateway, reports } = await startGateway({ runtime, limits });
  return { runtime, url, gateway, reports };
}

describe('hello', () => {
  test('welcome tells who the client is, and the limits [ws.protocol]', async () => {
    const { url } = await start();
    const client = await connectRaw(url);
    expect(await client.hello()).toMatchObject({
      protocol: 'belay.v1',
      speaker: 'local',
      roles: ['member'],
      limits: { frameBytes: 65_536 },
    });
  });

  test('a command before HELLO is refused, and the connection lives', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    client.send({ type: 'CANCEL', ref: 'c1', target: 'session' });
    expect(await client.hear('error', { ref: 'c1' })).toMatchObject({ code: 'hello_expected' });
    await client.hello();
    expect(runtime.asked).toEqual([]);
  });

  test('HELLO is taken once', async () => {
    const { url } = await start();
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'HELLO' });
    expect(await client.hear('error')).toMatchObject({ code: 'hello_repeated' });
  });

  test('what is sent with HELLO and JOIN in one go is taken in its order', async () => {
    const { url, runtime } = await start();
    runtime.onSession = () => new Promise((resolve) => setImmediate(resolve));
    const client = await connectRaw(url);
    client.send({ type: 'HELLO' });
    client.send({ type: 'JOIN', ref: 'j', session: 'demo' });
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    client.send({ type: 'CANCEL', ref: 'c', target: 'say:s' });
    client.send({ type: 'LEAVE', ref: 'l' });
    client.send({ type: 'JOIN', ref: 'j2', session: 'demo' });
    await client.hear('joined', { ref: 'j2' });
    expect(runtime.asked.map(({ what }) => what)).toEqual(['join', 'say', 'cancel', 'leave', 'join']);
  });
});

describe('sessions', () => {
  test('JOIN with `after` replays facts with their numbers; withheld ones leave a gap [ws.resume]', async () => {
    const { url, runtime } = await start();
    const place = runtime.place('demo');
    place.tell({ type: 'session_opened', kind: 'text', policy: 'anyone' });
    place.tell({ type: 'model_started', turn: 'turn_1', index: 0 });
    place.tell({ type: 'text_checkpoint', turn: 'turn_1', index: 0, offset: 0, text: 'secret' });
    place.tell({ type: 'process_started', node: 'call_1', group: 1, startTime: '1' });
    place.tell({ type: 'tool_started', turn: 'turn_1', node: 'call_1' });
    const client = await connectRaw(url);
    await client.hello();
    expect(await client.join('demo', 1)).toMatchObject({ session: 'demo', kind: 'text', policy: 'anyone', seq: 5 });
    await client.hear('tool_started');
    const facts = client.frames.filter((frame) => 'seq' in frame && frame.type !== 'joined');
    expect(facts.map(({ type, seq }) => [type, seq])).toEqual([
      ['model_started', 2],
      ['tool_started', 5],
    ]);
    expect(facts[0]).toEqual({ type: 'model_started', session: 'demo', seq: 2, at: 1_002, turn: 'turn_1', index: 0 });
  });

  test('who joins in mid-stream gets the text so far and goes on from its offset [ws.resume]', async () => {
    const { url, runtime } = await start();
    runtime.blocks = [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hel' }];
    const client = await connectRaw(url);
    await client.hello();
    expect(await client.join('demo')).toMatchObject({ blocks: [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hel' }] });
    for (const listener of runtime.place('demo').listeners())
      listener.text({ turn: 'turn_1', index: 0, offset: 3, text: 'lo' });
    expect(await client.hear('text_delta')).toEqual({
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
    expect(await client.hear('error', { ref: 's0' })).toMatchObject({ code: 'not_joined' });
    await client.join('a');
    client.send({ type: 'SAY', ref: 's1', text: 'hi' });
    await client.hear('turn_opened', { ref: 's1', session: 'a' });
    await client.join('b');
    client.send({ type: 'SAY', ref: 's2', text: 'hi' });
    expect(await client.hear('error', { ref: 's2' })).toMatchObject({ code: 'session_required', field: 'session' });
    client.send({ type: 'SAY', ref: 's3', session: 'b', text: 'hi' });
    await client.hear('turn_opened', { ref: 's3', session: 'b' });
    expect(runtime.asked.filter(({ what }) => what === 'say')).toHaveLength(2);
  });

  test('a session is joined once at a time, and after LEAVE nothing of it is heard', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    await client.join('a');
    client.send({ type: 'JOIN', ref: 'again', session: 'a' });
    expect(await client.hear('error', { ref: 'again' })).toMatchObject({ code: 'already_joined' });
    const [listener] = runtime.place('a').listeners();
    client.send({ type: 'LEAVE', ref: 'l' });
    expect(await client.hear('left', { ref: 'l' })).toEqual({ type: 'left', ref: 'l', session: 'a' });
    listener?.text({ turn: 'turn_1', index: 0, offset: 0, text: 'late' });
    client.send({ type: 'LEAVE', ref: 'l2' });
    await client.hear('error', { ref: 'l2', code: 'not_joined' });
    expect(client.all('text_delta')).toEqual([]);
  });

  test('a session that cannot be opened is answered, and others go on', async () => {
    const { url, runtime } = await start();
    runtime.onSession = async (id) => {
      if (id === 'broken') throw new Error('the disk is gone');
    };
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'JOIN', ref: 'j', session: 'broken' });
    client.send({ type: 'SAY', ref: 's', session: 'broken', text: 'hi' });
    expect(await client.hear('error', { ref: 'j' })).toMatchObject({ code: 'unavailable' });
    expect(await client.hear('error', { ref: 's' })).toMatchObject({ code: 'not_joined' });
    await client.join('fine');
  });

  test('a client that closes with 1000 has left its sessions; one that breaks off was lost', async () => {
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
        await until(() => runtime.asked.find((asked) => asked.what === 'leave' && asked.how === how)),
      ).toBeTruthy();
    }
    await until(() => gateway.size === 0);
  });

  test('a client that goes while its session is being opened does not stay in it', async () => {
    const { url, runtime, gateway } = await start();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    runtime.onSession = () => opened;
    const client = await connectRaw(url);
    await client.hello();
    client.send({ type: 'JOIN', ref: 'j', session: 'slow' });
    client.socket.terminate();
    await until(() => gateway.size === 0);
    open();
    await opened;
    await new Promise((resolve) => setImmediate(resolve));
    expect(runtime.place('slow').listeners()).toEqual([]);
  });

  test('a session that ends says why; with the last one the connection is closed by that name', async () => {
    const { url, runtime } = await start();
    const client = await connectRaw(url);
    await client.hello();
    await client.join('a');
    await client.join('b');
    runtime.place('a').listeners()[0]?.ended('fenced');
    expect(await client.hear('left')).toEqual({ type: 'left', session: 'a', reason: 'fenced' });
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    await client.hear('turn_opened', { session: 'b' });
    runtime.place('b').listeners()[0]?.ended('store_failed');
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

describe('answers', () => {
  async function joined() {
    const started = await start();
    const client = await connectRaw(started.url);
    await client.hello();
    await client.join('demo');
    return { ...started, client, place: started.runtime.place('demo') };
  }

  test('a SAY that opens no turn', async () => {
    const { client, runtime } = await joined();
    runtime.onSay = async () => ({ type: 'say_refused', code: 'lane_full', message: 'full' });
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    expect(await client.hear('say_refused')).toEqual({
      type: 'say_refused',
      ref: 's',
      session: 'demo',
      code: 'lane_full',
      message: 'full',
    });
  });

  test('a CANCEL carries what the runtime needs, and the speaker of the connection [owner.identity]', async () => {
    const { client, runtime } = await joined();
    client.send({ type: 'CANCEL', ref: 'c', target: 'turn_9', reason: 'enough', force: true });
    expect(await client.hear('unknown_target')).toEqual({
      type: 'unknown_target',
      ref: 'c',
      session: 'demo',
      target: 'turn_9',
    });
    expect(runtime.asked.at(-1)).toMatchObject({
      what: 'cancel',
      member: { speaker: { id: 'local', roles: ['member'] } },
      request: { ref: 'c', target: 'turn_9', reason: 'enough', force: true },
    });
  });

  test('a target that has settled, with its receipt', async () => {
    const { client, runtime } = await joined();
    runtime.onCancel = async () => ({ type: 'already_settled', target: 'turn_1', receipt: settledReceipt });
    client.send({ type: 'CANCEL', ref: 'c', target: 'turn_1' });
    expect(await client.hear('already_settled')).toMatchObject({ ref: 'c', receipt: { nodes: [{ node: 'turn_1' }] } });
  });

  test('an acceptance is heard once, as the fact that it is [cancel.accepted]', async () => {
    const { client, runtime } = await joined();
    runtime.onCancel = async (session) => {
      session.tell(receipt());
      return {
        type: 'cancel_accepted',
        receipt: receipt(),
        durable: true,
        repeated: false,
        settled: Promise.resolve(settledReceipt),
      };
    };
    client.send({ type: 'CANCEL', ref: 'c1', target: 'turn_1' });
    client.send({ type: 'SAY', ref: 's', text: 'next' });
    await client.hear('turn_opened', { ref: 's' });
    expect(client.all('cancel_accepted')).toMatchObject([{ ref: 'c1', seq: 1 }]);
  });

  test('an acceptance before its commit has no number and says so; the numbered one follows [cancel.accepted]', async () => {
    const { client, place } = await joined();
    for (const listener of place.listeners()) listener.accepted(receipt());
    place.tell(receipt());
    await client.hear('cancel_accepted', { seq: 1 });
    const [early, late] = client.all('cancel_accepted');
    expect(early).toMatchObject({ durable: false, cancel: 'cancel_1' });
    expect(early).not.toHaveProperty('seq');
    expect(late).not.toHaveProperty('durable');
  });

  test('a repeat is answered under its own ref, and so is its end [cancel.idempotent]', async () => {
    const { client, runtime } = await joined();
    const { promise: settled, resolve } = Promise.withResolvers<CancelSettled>();
    runtime.onCancel = async () => ({
      type: 'cancel_accepted',
      receipt: receipt(),
      durable: true,
      repeated: true,
      settled,
    });
    client.send({ type: 'CANCEL', ref: 'c2', target: 'turn_1' });
    expect(await client.hear('cancel_accepted')).toMatchObject({ ref: 'c2', cancel: 'cancel_1', repeated: true });
    expect(client.all('cancel_settled')).toEqual([]);
    resolve(settledReceipt);
    expect(await client.hear('cancel_settled')).toMatchObject({
      ref: 'c2',
      cancel: 'cancel_1',
      repeated: true,
      nodes: [{ outcome: 'cancelled' }],
    });
  });

  test('what the runtime rejects is answered too', async () => {
    const { client, runtime } = await joined();
    runtime.onCancel = () => Promise.reject(new Error('no store'));
    client.send({ type: 'CANCEL', ref: 'c', target: 'turn_1' });
    expect(await client.hear('error', { ref: 'c' })).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no store'),
    });
  });

  test('a result carries its first 2 000 characters, and how many are missing in all', async () => {
    const { client, place } = await joined();
    const output = 'x'.repeat(5_000);
    place.tell({
      type: 'tool_result',
      turn: 't',
      node: 'call_1',
      outcome: 'completed',
      effect: 'done',
      output,
      omitted: 7,
    });
    place.tell({ type: 'late_result', node: 'call_2', outcome: 'completed', effect: 'done', output });
    place.tell({ type: 'tool_result', turn: 't', node: 'call_3', outcome: 'completed', effect: 'done', output: 'ok' });
    expect(await client.hear('tool_result', { node: 'call_1' })).toMatchObject({
      output: 'x'.repeat(2_000),
      omitted: 3_007,
    });
    expect(await client.hear('late_result')).toMatchObject({ output: 'x'.repeat(2_000), omitted: 3_000 });
    expect(await client.hear('tool_result', { node: 'call_3' })).not.toHaveProperty('omitted');
  });

  test('a runtime that throws is answered like one that rejects, and nobody else notices', async () => {
    const { client, runtime, reports, url } = await joined();
    const other = await connectRaw(url);
    await other.hello();
    runtime.session = () => {
      throw new Error('a bug');
    };
    client.send({ type: 'JOIN', ref: 'j', session: 'x' });
    expect(await client.hear('error', { ref: 'j' })).toMatchObject({ code: 'unavailable' });
    expect(reports).toEqual([]);
    other.send({ type: 'SAY', ref: 's', text: 'x' });
    await other.hear('error', { ref: 's' });
  });
});
