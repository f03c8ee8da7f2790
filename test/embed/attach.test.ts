// A door on a server of the embedder.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { addressWithKnownKey } from '../../src/client/known-key.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { attach } from '../../src/embed/attach.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { connectChecked } from '../support/checked-client.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';

async function runtimeOf() {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) => ({
      steps: messages.at(-1)?.content === 'for ever' ? [{ text: 'on' }, { hang: true }] : [{ text: 'noon' }],
    }),
  });
  const runtime = await createRuntime({ acknowledge: 'off', provider });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function listening(): Promise<{ server: Server; base: string }> {
  const server = createServer((request, response) => response.end(`theirs: ${request.url}`));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { server, base: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('accepts sockets at its path; requests and other paths stay the server’s [ws.protocol]', async () => {
  const { server, base } = await listening();
  const runtime = await runtimeOf();
  const door = attach(server, runtime, { path: '/agents' });
  server.on('upgrade', (request, socket) => {
    if (request.url === '/theirs') socket.end('HTTP/1.1 418 theirs\r\n\r\n');
  });
  expect(await (await fetch(`http://${base}/page`)).text()).toBe('theirs: /page');
  const other = new WebSocket(`ws://${base}/theirs`);
  const refused = await new Promise<Error>((resolve) => other.on('error', resolve));
  expect(refused.message).toContain('418');

  await using client = await connectChecked({ url: `ws://${base}/agents` });
  const turn = client.session('s').say('what time is it?');
  expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  expect(door.gateway.size).toBe(1);
});

test('closes with the runtime, after the last frames of its sessions [ops.shutdown]', async () => {
  const { server, base } = await listening();
  const runtime = await runtimeOf();
  attach(server, runtime);
  const idle = await connectChecked({ url: `ws://${base}/belay`, reconnect: false }); // it has joined no session
  const client = await connectChecked({ url: `ws://${base}/belay`, reconnect: false });
  const session = client.session('s');
  const received: string[] = [];
  session.on('*', ({ type }) => received.push(type));
  const turn = session.say('for ever');
  for await (const event of turn) if (event.type === 'text_delta') break;
  await runtime.close();
  expect(await client.closed).toMatchObject({ reason: 'shutdown' });
  expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  expect(received.slice(-3)).toEqual(['turn_ended', 'cancel_settled', 'left']);
  expect(await idle.closed).toMatchObject({ reason: 'shutdown' });
  expect(server.listening).toBe(true);
  await expect(connectChecked({ url: `ws://${base}/belay`, reconnect: false })).rejects.toMatchObject({ code: 1006 });
});

test('closes alone: its clients are disconnected, the runtime goes on', async () => {
  const { server, base } = await listening();
  const runtime = await runtimeOf();
  const door = attach(server, runtime);
  const client = await connectChecked({ url: `ws://${base}/belay`, reconnect: false });
  await client.session('s').joined;
  await door.close();
  await client.closed;
  expect(door.gateway.size).toBe(0);
  await expect(connectChecked({ url: `ws://${base}/belay`, reconnect: false })).rejects.toMatchObject({
    name: 'ConnectionClosed',
  });
  const again = attach(server, runtime); // a door may be opened anew
  await using back = await connectChecked({ url: `ws://${base}/belay` });
  expect(await back.session('s').say('what time is it?').ended).toMatchObject({ outcome: 'completed' });
  expect(again.gateway.size).toBe(1);
});

test('a server of Fastify closes in order: what runs is stopped, clients are disconnected, then the server closes [ops.shutdown]', async () => {
  const runtime = await runtimeOf();
  const app = Fastify();
  const authenticator = createTokenAuthenticator({ 'token-of-ann-000001': { speaker: 'ann', sessions: ['*'] } });
  attach(app.server, runtime, { authenticator });
  app.addHook('preClose', () => runtime.close());
  app.get('/', async () => 'theirs');
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `${address.replace('http', 'ws')}/belay`;
  expect(await (await fetch(address)).text()).toBe('theirs');
  await expect(connectChecked({ url, reconnect: false })).rejects.toMatchObject({ reason: 'unauthorized' });
  const client = await connectChecked({ url, token: 'token-of-ann-000001', reconnect: false });
  const turn = client.session('s').say('for ever');
  for await (const event of turn) if (event.type === 'text_delta') break;
  await app.close();
  expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  expect(await client.closed).toMatchObject({ reason: 'shutdown' });
});

test('without an authenticator it needs the key of the door, which clients of this user find [access.secrets] [ws.auth]', async () => {
  const { server, base } = await listening();
  const door = attach(server, await runtimeOf());
  const url = `ws://${base}/belay`;
  expect(await refusedUpgrade(url)).toBe(401);
  await connectRaw(`${url}?key=${door.key}`);
  await using client = await connectChecked({ url });
  expect(client.speaker).toBe('local');
  await door.close();
  expect(addressWithKnownKey(url)).toBe(url);
});

test('a server that listens later publishes the key then', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const door = attach(server, await runtimeOf());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/belay`;
  expect(addressWithKnownKey(url)).toBe(`${url}?key=${door.key}`);
});

test('with an authenticator of its own, or one without a key, there is no key', async () => {
  const { server, base } = await listening();
  const door = attach(server, await runtimeOf(), { authenticator: createLocalAuthenticator() });
  expect(door.key).toBeNull();
  await connectRaw(`ws://${base}/belay`);
});

test('handles HTTP requests that its server hands it, by the same key and count [http.api.access]', async () => {
  const { server, base } = await listening();
  const door = attach(server, await runtimeOf());
  server.removeAllListeners('request');
  server.on('request', (request, response) => door.http(request, response));
  expect((await fetch(`http://${base}/api/sessions`)).status).toBe(401);
  const reply = await fetch(`http://${base}/api/sessions/s/say?key=${door.key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'what time is it?' }),
  });
  expect(await reply.json()).toMatchObject({ outcome: 'completed', text: 'noon' });
});
