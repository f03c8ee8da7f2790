// Commands get their replies over real sockets, and facts have their shape on the wire.
import { describe, expect, test } from 'vitest';
import type { CancelAccepted, CancelSettled } from '../../machines/facts.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';

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

describe('replies', () => {
  async function joined() {
    const runtime = new FakeRuntime();
    const started = { runtime, ...(await startGateway({ runtime })) };
    const client = await connectRaw(started.url);
    await client.hello();
    await client.join('demo');
    return { ...started, client, demo: started.runtime.session('demo') };
  }

  test('a SAY that opens no turn', async () => {
    const { client, runtime } = await joined();
    runtime.onSay = async () => ({ type: 'say_refused', code: 'lane_full', message: 'full' });
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    expect(await client.waitFor('say_refused')).toEqual({
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
    expect(await client.waitFor('unknown_target')).toEqual({
      type: 'unknown_target',
      ref: 'c',
      session: 'demo',
      target: 'turn_9',
    });
    expect(runtime.calls.at(-1)).toMatchObject({
      command: 'cancel',
      caller: { speaker: { id: 'local', roles: ['member'] } },
      request: { ref: 'c', target: 'turn_9', reason: 'enough', force: true },
    });
  });

  test('a target that has settled, with its receipt', async () => {
    const { client, runtime } = await joined();
    runtime.onCancel = async () => ({ type: 'already_settled', target: 'turn_1', receipt: settledReceipt });
    client.send({ type: 'CANCEL', ref: 'c', target: 'turn_1' });
    expect(await client.waitFor('already_settled')).toMatchObject({
      ref: 'c',
      receipt: { nodes: [{ node: 'turn_1' }] },
    });
  });

  test('an acceptance is sent once, as the fact that it is [cancel.accepted]', async () => {
    const { client, runtime } = await joined();
    runtime.onCancel = async (session) => {
      session.publish(receipt());
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
    await client.waitFor('turn_opened', { ref: 's' });
    expect(client.all('cancel_accepted')).toMatchObject([{ ref: 'c1', seq: 1 }]);
  });

  test('an acceptance before its commit has no sequence number and says so; the fact follows [cancel.accepted]', async () => {
    const { client, demo } = await joined();
    for (const listener of demo.listeners()) listener.accepted(receipt());
    demo.publish(receipt());
    await client.waitFor('cancel_accepted', { seq: 1 });
    const [early, late] = client.all('cancel_accepted');
    expect(early).toMatchObject({ durable: false, cancel: 'cancel_1' });
    expect(early).not.toHaveProperty('seq');
    expect(late).not.toHaveProperty('durable');
  });

  test('a repeat gets its replies under its own ref, the end too [cancel.idempotent]', async () => {
    const { client, runtime } = await joined();
    const { promise: settled, resolve } = Promise.withResolvers<CancelSettled>();
    runtime.onSettled = () => settled;
    runtime.onCancel = async () => ({
      type: 'cancel_accepted',
      receipt: receipt(),
      durable: true,
      repeated: true,
    });
    client.send({ type: 'CANCEL', ref: 'c2', target: 'turn_1' });
    expect(await client.waitFor('cancel_accepted')).toMatchObject({ ref: 'c2', cancel: 'cancel_1', repeated: true });
    expect(client.all('cancel_settled')).toEqual([]);
    resolve(settledReceipt);
    expect(await client.waitFor('cancel_settled')).toMatchObject({
      ref: 'c2',
      cancel: 'cancel_1',
      repeated: true,
      nodes: [{ outcome: 'cancelled' }],
    });
  });

  test('what the runtime rejects gets a reply too', async () => {
    const { client, runtime } = await joined();
    runtime.onCancel = () => Promise.reject(new Error('no store'));
    client.send({ type: 'CANCEL', ref: 'c', target: 'turn_1' });
    expect(await client.waitFor('error', { ref: 'c' })).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no store'),
    });
  });

  test('a result carries its first 2 000 characters, and the number of all missing ones', async () => {
    const { client, demo } = await joined();
    const output = 'x'.repeat(5_000);
    demo.publish({
      type: 'tool_result',
      turn: 't',
      node: 'call_1',
      outcome: 'completed',
      effect: 'done',
      output,
      omitted: 7,
    });
    demo.publish({ type: 'late_result', node: 'call_2', outcome: 'completed', effect: 'done', output });
    demo.publish({
      type: 'tool_result',
      turn: 't',
      node: 'call_3',
      outcome: 'completed',
      effect: 'done',
      output: 'ok',
    });
    expect(await client.waitFor('tool_result', { node: 'call_1' })).toMatchObject({
      output: 'x'.repeat(2_000),
      omitted: 3_007,
    });
    expect(await client.waitFor('late_result')).toMatchObject({ output: 'x'.repeat(2_000), omitted: 3_000 });
    expect(await client.waitFor('tool_result', { node: 'call_3' })).not.toHaveProperty('omitted');
  });

  test('a runtime that throws gets a reply like one that rejects, and other connections go on', async () => {
    const { client, runtime, reports, url } = await joined();
    const other = await connectRaw(url);
    await other.hello();
    runtime.open = () => {
      throw new Error('a bug');
    };
    client.send({ type: 'JOIN', ref: 'j', session: 'x' });
    expect(await client.waitFor('error', { ref: 'j' })).toMatchObject({ code: 'unavailable' });
    expect(reports).toEqual([]);
    other.send({ type: 'SAY', ref: 's', text: 'x' });
    await other.waitFor('error', { ref: 's' });
  });
});
