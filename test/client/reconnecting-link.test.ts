// The connection that is kept up, over sockets that the test holds and under a clock that stands still.
import { describe, expect, test } from 'vitest';
import type { ClientState, ReconnectOptions, TokenSource } from '../../src/client/reconnecting-link.ts';
import type { ClientFrame } from '../../src/protocol/client-frames.ts';
import { closeCodes } from '../../src/protocol/close-codes.ts';
import type { ServerFrame } from '../../src/protocol/server-frames.ts';
import { createVirtualClock, seededRandom } from '../../src/sources/virtual.ts';
import { createClient } from '../support/checked-client.ts';

/** A socket that does what the test says. */
class FakeSocket {
  readonly sent: ClientFrame[] = [];
  closedWith: number | null | undefined = null;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(code?: number): void {
    this.closedWith = code;
  }
  hear(frame: ServerFrame): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  end(code = 1006, reason = ''): void {
    this.onclose?.({ code, reason });
  }
}

const limits = {
  frameBytes: 200,
  framesPerSecond: 50,
  frameBurst: 100,
  cancelsPerSecond: 10,
  cancelBurst: 20,
  sessions: 32,
  unanswered: 64,
  heartbeatMs: 15_000,
};
const welcome: ServerFrame = {
  type: 'welcome',
  protocol: 'belay.v1',
  connection: 'conn_1',
  speaker: 'ann',
  roles: ['member'],
  limits,
};

function setUp(options: { token?: TokenSource; reconnect?: boolean | ReconnectOptions } = {}) {
  const clock = createVirtualClock();
  const sockets: FakeSocket[] = [];
  const states: ClientState[] = [];
  const client = createClient({
    url: 'ws://here/belay',
    sources: { clock, random: seededRandom(7) },
    createSocket: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    ...options,
  });
  client.on('state', (state) => states.push(state));
  return {
    client,
    clock,
    sockets,
    kinds: () => states.map(({ kind }) => kind),
    pauses: () => states.flatMap((state) => (state.kind === 'reconnecting' ? [state.inMs] : [])),
    /** The newest socket, opened and welcomed. */
    async open(): Promise<FakeSocket> {
      await clock.advance(0);
      const socket = sockets.at(-1) as FakeSocket;
      socket.onopen?.();
      socket.hear(welcome);
      return socket;
    },
    async end(code?: number): Promise<void> {
      await clock.advance(0);
      sockets.at(-1)?.end(code);
      await clock.advance(0);
    },
  };
}

describe('a connection', () => {
  test('comes back after pauses that grow, with jitter, up to a bound; after a good time they begin anew', async () => {
    const at = setUp({ reconnect: { minMs: 100, maxMs: 1_000 } });
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

  test('tells its state, and its last one for good', async () => {
    const at = setUp();
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

  test('is given up after so many failures, or at the first, as was said', async () => {
    const at = setUp({ reconnect: { attempts: 2 } });
    for (let i = 0; i < 3; i++) {
      await at.end();
      await at.clock.advance(20_000);
    }
    expect(at.kinds()).toEqual(['reconnecting', 'reconnecting', 'closed']);
    const once = setUp({ reconnect: false });
    await once.open();
    await once.end();
    expect(once.kinds()).toEqual(['open', 'closed']);
    expect(once.clock.pending).toBe(0);
  });

  test('is not waited for when one wants it now', async () => {
    const at = setUp();
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

  test('to an address that is none ends at once', async () => {
    const client = createClient({ url: 'no address' });
    expect(await client.closed).toMatchObject({ reason: null, message: expect.stringContaining('no address') });
  });

  test('over which something comes that is no frame is dropped', async () => {
    const at = setUp();
    const socket = await at.open();
    socket.onmessage?.({ data: '{"type":"wel' });
    expect(at.client.state.kind).toBe('reconnecting');
    socket.hear(welcome);
    socket.end();
    expect(at.kinds()).toEqual(['open', 'reconnecting']);
  });
});

describe('a token', () => {
  test('is asked for again with each connection [ws.auth]', async () => {
    let asked = 0;
    const at = setUp({ token: async () => `token-${++asked}` });
    const first = await at.open();
    await at.end(closeCodes.token_expired.code);
    const second = await at.open();
    expect([first, second].map(({ sent }) => sent[0])).toEqual([
      { type: 'HELLO', token: 'token-1' },
      { type: 'HELLO', token: 'token-2' },
    ]);
    expect(at.pauses()).toEqual([0]);
  });

  test('that is refused ends it; where it was asked for, one other is tried', async () => {
    const fixed = setUp({ token: 'token' });
    await fixed.end(closeCodes.unauthorized.code);
    expect(fixed.kinds()).toEqual(['closed']);
    let asked = 0;
    const fresh = setUp({ token: () => `token-${++asked}` });
    for (let i = 0; i < 2; i++) {
      await fresh.end(closeCodes.unauthorized.code);
      await fresh.clock.advance(1_000);
    }
    expect(fresh.kinds()).toEqual(['reconnecting', 'closed']);
    expect(asked).toBe(2);
    const expired = setUp({ token: 'token' });
    await expired.open();
    await expired.end(closeCodes.token_expired.code);
    expect(expired.kinds()).toEqual(['open', 'closed']);
  });

  test('that cannot be had is tried again; one that comes too late is not used', async () => {
    const failing = setUp({ token: () => Promise.reject(new Error('no network')) });
    await failing.clock.advance(0);
    expect(failing.client.state).toMatchObject({ because: { message: expect.stringContaining('no network') } });
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = setUp({ token: () => promise });
    await slow.clock.advance(0);
    await slow.client.close();
    resolve('token');
    await slow.clock.advance(0);
    expect(slow.sockets).toEqual([]);
  });

  test('does not help a client that sends what is no frame', async () => {
    const at = setUp({ token: async () => 'token' });
    await at.open();
    await at.end(closeCodes.too_many_errors.code);
    expect(at.kinds()).toEqual(['open', 'closed']);
  });
});

describe('an end', () => {
  test.each([
    [1006, '', 'The connection was lost.'],
    [1012, '', 'The connection has ended, with the close code 1012 and no reason.'],
    [4450, 'shutdown', 'The connection has ended: shutdown.'],
  ])('with %d "%s" is told in words', async (code, reason, message) => {
    const at = setUp();
    const socket = await at.open();
    socket.end(code, reason);
    expect(at.client.state).toMatchObject({ kind: 'reconnecting', because: { code, message } });
  });
});

describe('the other side', () => {
  test('that says nothing is asked, and then is dead', async () => {
    const at = setUp();
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

  test('that does not answer an attempt has its time', async () => {
    const at = setUp();
    await at.clock.advance(0);
    at.sockets[0]?.onopen?.();
    await at.clock.advance(9_999);
    expect(at.client.state.kind).toBe('connecting');
    await at.clock.advance(1);
    expect(at.client.state.kind).toBe('reconnecting');
  });

  test('that does not answer a goodbye has its time', async () => {
    const at = setUp();
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

test('a frame that is too large is answered here, as the gateway would, and closes nothing [ws.limits]', async () => {
  const at = setUp();
  const socket = await at.open();
  const session = at.client.session('s');
  const { ref } = socket.sent.at(-1) as { ref: string };
  const joined = {
    type: 'joined',
    ref,
    session: 's',
    kind: 'text',
    policy: 'anyone',
    seq: 0,
    nodes: [],
    blocks: [],
    questions: [],
  };
  socket.hear(joined as unknown as ServerFrame);
  const turn = session.say('ä'.repeat(100));
  await expect(turn.opened).rejects.toMatchObject({ code: 'frame_too_large', limit: 200 });
  expect(socket.sent.map(({ type }) => type)).toEqual(['HELLO', 'JOIN']);
});

test('an error that answers nothing is told; who listens badly stops nobody', async () => {
  const at = setUp();
  const told: string[] = [];
  const caught: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(error));
  at.client.on('error', () => {
    throw new Error('a bug of a listener');
  });
  at.client.on('error', ({ code }) => told.push(code));
  const socket = await at.open();
  socket.hear({ type: 'error', code: 'hello_repeated', message: 'HELLO is sent once.' });
  await at.clock.advance(0);
  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
  expect(told).toEqual(['hello_repeated']);
  expect(caught).toMatchObject([{ message: 'a bug of a listener' }]);
});
