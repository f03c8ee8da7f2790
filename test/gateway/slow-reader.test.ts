// A slow reader over real sockets: deltas are merged, the queue is bounded, and other clients do not wait.
import { describe, expect, test } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

async function start(limits = {}) {
  const runtime = new FakeRuntime();
  return { runtime, ...(await startGateway({ runtime, limits })) };
}

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
    const demo = runtime.session('demo');
    const piece = 'x'.repeat(1_000);
    const pieces = 6_000; // 6 MB: more than the buffers of the two sockets hold
    for (let i = 0; i < pieces; i++) {
      for (const listener of demo.listeners()) listener.text({ ...block, offset: i * piece.length, text: piece });
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    demo.publish({ type: 'tool_started', turn: 'turn_1', node: 'call_1' });
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

  test('receives no delta of a block that has ended, or of a turn that is being stopped [cancel.accepted]', async () => {
    const { url, runtime } = await start({ socketBytes: 4_096 });
    const slow = await connectRaw(url);
    await slow.hello();
    await slow.join('demo');
    slow.socket.pause();
    const demo = runtime.session('demo');
    const stream = (turn: string, index: number) => {
      for (const listener of demo.listeners()) listener.text({ turn, index, offset: 0, text: 'late' });
    };
    for (let i = 0; i < 3_000; i++) {
      demo.publish({
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
    for (const listener of demo.listeners()) {
      listener.accepted({ type: 'cancel_accepted', ...receipt, stopping: ['turn_1'], ...lists });
    }
    demo.publish({ type: 'cancel_accepted', ...receipt, stopping: ['turn_2'], ...lists });
    const usage = { kind: 'unknown', input: null, output: null } as const;
    demo.publish({
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

  test('is closed by name when its queue is full, and other clients do not wait for it [ws.limits]', async () => {
    const { url, runtime, gateway } = await start({ socketBytes: 4_096, queueBytes: 100_000, closeMs: 5_000 });
    const [slow, quick] = [await connectRaw(url), await connectRaw(url)];
    for (const client of [slow, quick]) {
      await client.hello();
      await client.join('demo');
    }
    slow.socket.pause();
    const demo = runtime.session('demo');
    let count = 0;
    await until(
      () => {
        for (let i = 0; i < 50; i++, count++) {
          demo.publish({
            type: 'tool_result',
            turn: 'turn_1',
            node: `call_${count}`,
            outcome: 'completed',
            effect: 'none',
            output: 'x'.repeat(2_000),
          });
        }
        return demo.listeners().length === 1;
      },
      { ms: 20_000, what: 'the close of the slow reader' },
    );
    expect(runtime.calls.at(-1)).toMatchObject({ command: 'leave', how: 'lost' });
    await until(() => quick.all('tool_result').length === count, { ms: 20_000 });
    slow.socket.resume();
    expect(await slow.closed()).toEqual({ code: 4414, reason: 'slow_reader' });
    await until(() => gateway.size === 1);
  });

  test('that never reads again is terminated [ws.limits]', async () => {
    const { url, runtime, gateway } = await start({ socketBytes: 4_096, queueBytes: 100_000, closeMs: 40 });
    const slow = await connectRaw(url);
    await slow.hello();
    await slow.join('demo');
    slow.socket.pause();
    const demo = runtime.session('demo');
    await until(
      () => {
        for (let i = 0; i < 50; i++) {
          demo.publish({
            type: 'tool_result',
            turn: 'turn_1',
            node: 'call',
            outcome: 'completed',
            effect: 'none',
            output: 'x'.repeat(2_000),
          });
        }
        return demo.listeners().length === 0;
      },
      { ms: 20_000 },
    );
    await until(() => gateway.size === 0);
  });
});
