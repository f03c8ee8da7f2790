// The relay on a real socket: who may connect, what they receive, and that nothing is observed while nobody is connected.
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { runInNewContext } from 'node:vm';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@xstate/inspect';
import { expect, onTestFinished, test } from 'vitest';
import { startRelay } from '../../src/inspector/relay.ts';
import { inspectorOrigin, pageWith, script } from '../../src/inspector/relay-page.ts';
import { callsResponse } from '../support/harness.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { type ObservedOptions, startObservedHarness } from './observed.ts';

async function startWorld(options: ObservedOptions = {}) {
  const harness = await startObservedHarness({
    respond: (_, n) => callsResponse(['wait', { ms: 60_000, n }]),
    ...options,
  });
  const relay = await startRelay({ inspector: harness.inspector, port: 0 });
  onTestFinished(() => relay.close());
  const stream = relay.url.replace('http:', 'ws:');
  return Object.assign(harness, { relay, stream, port: Number(new URL(relay.url).port) });
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const get = (port: number, headers: Readonly<Record<string, string>> = {}, path = '/', method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers }, async (response) => {
      let body = '';
      for await (const part of response) body += part;
      resolve({ status: response.statusCode, headers: response.headers, body });
    })
      .on('error', reject)
      .end();
  });

test("the package's own receiver connects, and receives a turn and its cancel as one tree [page.inspect]", async () => {
  const harness = await startWorld();
  const received: StatelyInspectionEvent[] = [];
  createWebSocketReceiver({ server: harness.stream }).subscribe((event) => received.push(event));
  await until(() => received.length > 0, { what: 'the tree' });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(100);
  await until(() => received.some((event) => event.type === '@xstate.event' && event.event.type === 'TURN_GONE'), {
    what: 'the end',
  });
  const names = received.flatMap((event) => (event.type === '@xstate.actor' ? [event.name] : []));
  expect(names).toEqual(
    expect.arrayContaining(['session s', `link ${turn}`, 'turn alice', 'tool-call wait call_1', 'work']),
  );
  expect(new Set(received.map(({ rootId }) => rootId)).size).toBe(1);
});

test('the runtime is observed while somebody is connected, and not before or after', async () => {
  const harness = await startWorld();
  await harness.say('words');
  expect(harness.inspector.observers).toBe(0);
  expect(await get(harness.port)).toMatchObject({ status: 200 });
  expect(harness.inspector.observers, 'the page alone observes nothing').toBe(0);
  const one = await connectRaw(harness.stream, { protocols: [] });
  const two = await connectRaw(harness.stream, { protocols: [] });
  await two.waitFor('@xstate.actor', { name: 'session s' });
  expect(harness.inspector.observers).toBe(2);
  one.socket.close();
  await one.closed();
  expect(harness.inspector.state).toBe('on');
  two.socket.terminate();
  await until(() => harness.inspector.observers === 0, { what: 'the end of the observation' });
  expect(harness.inspector.state).toBe('off');
});

test('it listens on loopback, and nowhere else', async () => {
  const { relay, port } = await startWorld();
  expect(new URL(relay.url).hostname).toBe('127.0.0.1');
  const others = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter(({ internal }) => !internal));
  for (const { address } of others) {
    const refused = new Promise((resolve) => {
      const socket = connect({ host: address, port, timeout: 2_000 }, () => resolve('connected'));
      socket.on('error', () => resolve('refused')).on('timeout', () => resolve('refused'));
      onTestFinished(() => void socket.destroy());
    });
    expect(await refused, address).toBe('refused');
  }
});

test.each([
  { what: 'a page elsewhere', options: { origin: 'https://evil.example' } },
  { what: 'a page on another port of this machine', options: { origin: 'http://127.0.0.1:1' } },
  { what: 'a page without an origin of its own', options: { origin: 'null' } },
  { what: 'a name that points at this machine', options: { headers: { host: 'evil.example' } } },
  {
    what: 'that name as its own origin',
    options: { headers: { host: 'evil.example' }, origin: 'http://evil.example' },
  },
])('$what is refused', async ({ options }) => {
  const { stream, inspector, port } = await startWorld();
  expect(await refusedUpgrade(stream, { protocols: [], ...options })).toBe(403);
  const headers = {
    ...('headers' in options && options.headers),
    ...('origin' in options && { origin: options.origin }),
  };
  expect(await get(port, headers)).toMatchObject({ status: 403 });
  expect(inspector.observers).toBe(0);
});

test.each(['127.0.0.1', 'localhost'])('its own page may connect under the name %s', async (name) => {
  const { stream, port } = await startWorld();
  const here = `${name}:${port}`;
  const client = await connectRaw(stream, { protocols: [], origin: `http://${here}`, headers: { host: here } });
  await client.waitFor('@xstate.actor', { name: 'session s' });
});

test('other paths and methods are rejected', async () => {
  const { stream, port } = await startWorld();
  expect(await refusedUpgrade(`${stream}other`, { protocols: [] })).toBe(404);
  expect(await get(port, {}, '/other')).toMatchObject({ status: 404 });
  expect(await get(port, {}, '/', 'POST')).toMatchObject({ status: 405 });
});

test('a message of a client changes nothing, and one that is too long ends the connection', async () => {
  const harness = await startWorld();
  const client = await connectRaw(harness.stream, { protocols: [] });
  client.send({ type: 'SAY', text: 'words' });
  client.send('no JSON');
  await client.waitFor('@xstate.actor', { name: 'session s' });
  client.send('x'.repeat(10_000));
  expect(await client.closed()).toMatchObject({ code: 1_009 });
  expect(harness.recorder.facts.map(({ type }) => type)).toEqual(['session_opened']);
});

test('one connection over the limit is rejected', async () => {
  const { stream } = await startWorld();
  for (let i = 0; i < 8; i++) await connectRaw(stream, { protocols: [] });
  expect(await refusedUpgrade(stream, { protocols: [] })).toBe(503);
});

test('a client that does not read is disconnected, and the runtime goes on', async () => {
  const harness = await startWorld({
    respond: (_, n) => callsResponse(...Array.from({ length: 60 }, (_, i) => ['wait', { ms: 1, n, i }] as const)),
    limits: { roundsPerTurn: 10_000 },
  });
  const slow = await connectRaw(harness.stream, { protocols: [] });
  await slow.waitFor('@xstate.actor', { name: 'session s' });
  slow.socket.pause();
  await harness.say('words');
  await until(() => harness.clock.advance(20).then(() => harness.inspector.state === 'off'), {
    what: 'the end of the slow connection',
    ms: 90_000,
  });
  const rounds = harness.provider.requests.length;
  await harness.clock.advance(40);
  expect(harness.provider.requests.length).toBeGreaterThan(rounds);
});

test('closing disconnects everybody', async () => {
  const harness = await startWorld();
  const client = await connectRaw(harness.stream, { protocols: [] });
  await harness.relay.close();
  await client.closed();
  await until(() => harness.inspector.observers === 0);
  await expect(get(harness.port)).rejects.toThrow('ECONNREFUSED');
});

test('a port that is taken rejects', async () => {
  const { port, inspector } = await startWorld();
  await expect(startRelay({ inspector, port })).rejects.toThrow('EADDRINUSE');
});

test('its page may run its own script alone, and loads nothing until the button is pressed', async () => {
  const { port } = await startWorld();
  const { headers, body } = await get(port);
  expect(body).toBe(pageWith(null));
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; connect-src ws:\/\/127\.0\.0\.1:\d+ ws:\/\/localhost:\d+; frame-src https:\/\/stately\.ai;/,
  );
  expect(body.replace(script, '')).not.toMatch(/ (src|href)=/);
});

test('the page passes the events to the inspector in its frame, from the beginning whenever that is ready', () => {
  const posted: unknown[] = [];
  const frame = { hidden: true, src: '', contentWindow: { postMessage: (...sent: unknown[]) => posted.push(sent) } };
  const notice = { hidden: true };
  const parts: Record<string, object> = { main: { hidden: false }, iframe: frame, button: {}, '[role=status]': notice };
  const timers: (() => void)[] = [];
  const sockets: { url: string; state: 'open' | 'closed'; onmessage?: (message: { data: string }) => void }[] = [];
  let tell: (message: object) => void = () => {};
  class Socket {
    constructor(url: string) {
      sockets.push(Object.assign(this, { url, state: 'open' as const }));
    }
    close() {
      Object.assign(this, { state: 'closed' });
    }
  }
  runInNewContext(script, {
    document: { querySelector: (name: string) => parts[name] },
    location: { host: '127.0.0.1:8080', hash: '#key=a%2Fkey' },
    navigator: { onLine: true },
    setTimeout: (fire: () => void) => timers.push(fire),
    clearTimeout: () => {},
    URLSearchParams,
    encodeURIComponent,
    addEventListener: (_: string, listener: typeof tell) => {
      tell = listener;
    },
    WebSocket: Socket,
  });
  expect(frame.src).toBe('');
  (parts['button'] as { onclick(): void }).onclick();
  expect(frame).toMatchObject({ hidden: false, src: `${inspectorOrigin}/inspect` });
  const connected = { data: { type: '@statelyai.connected' }, source: frame.contentWindow, origin: inspectorOrigin };
  tell({ ...connected, origin: 'https://evil.example' });
  tell({ ...connected, source: {} });
  tell({ ...connected, data: { type: 'other' } });
  expect(sockets).toEqual([]);
  timers[0]?.();
  expect(notice.hidden, 'the site has not answered').toBe(false);
  tell(connected);
  expect(notice.hidden, 'it has, late').toBe(true);
  sockets[0]?.onmessage?.({ data: '{"type":"@xstate.event"}' });
  expect(posted).toEqual([[{ type: '@xstate.event' }, inspectorOrigin]]);
  tell(connected);
  expect(sockets.map(({ url, state }) => ({ url, state }))).toEqual([
    { url: 'ws://127.0.0.1:8080/?key=a%2Fkey', state: 'closed' },
    { url: 'ws://127.0.0.1:8080/?key=a%2Fkey', state: 'open' },
  ]);
});
