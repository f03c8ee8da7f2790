// The reconnecting link, over fake sockets that the test controls, under a virtual clock.

import { describe, expect, test } from 'vitest';
import { closeCodes } from '../../src/wire/close-codes.ts';
import { createCheckedClient } from '../support/checked-client.ts';
import { limits, setUpClient, welcome } from './held-sockets.ts';

describe('a connection', () => {
  test('is made again after pauses that grow, with jitter, up to a limit; after a stable connection they start again', async () => {
    const at = setUpClient({ reconnect: { minMs: 100, maxMs: 1_000 } });
    await at.open();
    for (let i = 0; i < 7; i++) {
      await at.end();
      await at.clock.advance(at.pauses().at(-1) ?? 0);
    }
    const pauses = at.pauses();
    for (const [i, pause] of pauses.entries()) {
      const grown = Math.min(1_000, 100 * 2 ** i);
      expect(pause).toBeGreaterThanOrEqual(grown / 2);
      expect(pause).toBeLessThanOrEqual(grown);
    }
    expect(new Set(pauses).size).toBeGreaterThan(5);
    await at.open();
    await at.clock.advance(5_000);
    await at.end();
    expect(at.pauses().at(-1)).toBeLessThanOrEqual(100);
    expect(at.sockets).toHaveLength(8);
  });

  test.each([-86_400_000, -3_600_000, 3_600_000, 86_400_000])(
    'is stable after 5 s, whatever a step of %d ms does to the time of day [clock.steps]',
    async (ms) => {
      const at = setUpClient();
      for (let failures = 1; failures < 4; failures++) {
        await at.open();
        at.clock.step(ms);
        await at.end();
        expect(at.client.state).toMatchObject({ kind: 'reconnecting', failures });
        await at.clock.advance(at.pauses().at(-1) ?? 0);
      }
      await at.open();
      at.clock.step(ms);
      await at.clock.advance(5_000);
      await at.end();
      expect(at.client.state).toMatchObject({ kind: 'reconnecting', failures: 1 });
      void at.client.close();
      expect(at.clock.pending).toBe(0);
    },
  );

  test('reports its states, and `closed` as the last one', async () => {
    const at = setUpClient();
    expect(at.client.state).toEqual({ kind: 'connecting' });
    expect(at.client.speaker).toBeNull();
    await at.open();
    expect(at.client.state).toMatchObject({ kind: 'open', welcome: { speaker: 'ann', roles: ['member'] } });
    await at.end(closeCodes.slow_reader.code);
    expect(at.client.state).toMatchObject({
      kind: 'reconnecting',
      because: { reason: 'slow_reader', code: 4414 },
      failures: 1,
    });
    expect(at.client.speaker).toBe('ann');
    void at.client.close();
    await at.clock.advance(60_000);
    expect(at.kinds()).toEqual(['open', 'reconnecting', 'closed']);
    expect(at.sockets).toHaveLength(1);
    expect(at.clock.pending).toBe(0);
    expect(await at.client.closed).toMatchObject({ code: 1000 });
  });

  test('is given up after the configured number of failures, or at the first', async () => {
    const at = setUpClient({ reconnect: { attempts: 2 } });
    for (let i = 0; i < 3; i++) {
      await at.end();
      await at.clock.advance(20_000);
    }
    expect(at.kinds()).toEqual(['reconnecting', 'reconnecting', 'closed']);
    const once = setUpClient({ reconnect: false });
    await once.open();
    await once.end();
    expect(once.kinds()).toEqual(['open', 'closed']);
    expect(once.clock.pending).toBe(0);
  });

  test('is made at once after `retry`', async () => {
    const at = setUpClient();
    await at.end();
    at.client.retry();
    at.client.retry();
    await at.clock.advance(0);
    expect(at.sockets).toHaveLength(2);
    await at.open();
    at.client.retry();
    await at.clock.advance(1_000);
    expect(at.sockets).toHaveLength(2);
  });

  test('to an invalid address ends at once', async () => {
    const client = createCheckedClient({ url: 'no address' });
    expect(await client.closed).toMatchObject({ reason: null, message: expect.stringContaining('no address') });
  });

  test('that receives a message that is not JSON is dropped', async () => {
    const at = setUpClient();
    const socket = await at.open();
    socket.onmessage?.({ data: '{"type":"wel' });
    expect(at.client.state.kind).toBe('reconnecting');
    socket.hear(welcome);
    socket.end();
    expect(at.kinds()).toEqual(['open', 'reconnecting']);
  });
});

describe('an end', () => {
  test.each([
    [1006, '', 'The connection was lost.'],
    [1012, '', 'The connection has ended, with the close code 1012 and no reason.'],
    [4450, 'shutdown', 'The connection has ended: shutdown.'],
  ])('with %d "%s" has a sentence', async (code, reason, message) => {
    const at = setUpClient();
    const socket = await at.open();
    socket.end(code, reason);
    expect(at.client.state).toMatchObject({ kind: 'reconnecting', because: { code, message } });
  });
});

describe('the gateway', () => {
  test('that is silent gets a PING, and is dropped without a PONG', async () => {
    const at = setUpClient();
    const socket = await at.open();
    await at.clock.advance(limits.heartbeatMs);
    expect(socket.sent.at(-1)).toEqual({ type: 'PING', ref: 'alive' });
    socket.hear({ type: 'pong', ref: 'alive' });
    await at.clock.advance(2 * limits.heartbeatMs);
    expect(at.client.state.kind).toBe('open');
    await at.clock.advance(limits.heartbeatMs);
    expect(at.client.state).toMatchObject({ kind: 'reconnecting', because: { code: 1006 } });
    expect(socket.closedWith).toBeUndefined();
  });

  test('that does not answer an attempt is dropped after the timeout', async () => {
    const at = setUpClient();
    await at.clock.advance(0);
    at.sockets[0]?.onopen?.();
    await at.clock.advance(9_999);
    expect(at.client.state.kind).toBe('connecting');
    await at.clock.advance(1);
    expect(at.client.state.kind).toBe('reconnecting');
  });

  test('that does not answer a close frame is dropped after the timeout', async () => {
    const at = setUpClient();
    const socket = await at.open();
    let over = 0;
    void at.client.close().then(() => over++);
    expect(socket.closedWith).toBe(1000);
    await at.clock.advance(1_999);
    expect(over).toBe(0);
    await at.clock.advance(1);
    expect(over).toBe(1);
    expect(at.clock.pending).toBe(0);
  });
});
