// Upgrades that are accepted: by subprotocol, origin, host, path; and the hosts on which a gateway without tokens may listen.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { listen } from '../../src/gateway/http/listen.ts';
import { isLoopback } from '../../src/gateway/upgrade-guard.ts';
import { attachSockets } from '../../src/gateway/ws.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';

const start = (at = {}) => startGateway({ runtime: new FakeRuntime() }, at);
const tokens = () => createTokenAuthenticator({ 'a-token-of-ann-0001': { speaker: 'ann' } });
const portOf = (url: string) => new URL(url).port;

describe('an upgrade', () => {
  test('needs the subprotocol, alone or among others [ws.protocol]', async () => {
    const { url } = await start();
    expect(await refusedUpgrade(url, { protocols: [] })).toBe(400);
    expect(await refusedUpgrade(url, { protocols: ['belay.v2'] })).toBe(400);
    const client = await connectRaw(url, { protocols: ['other', 'belay.v1'] });
    expect(client.socket.protocol).toBe('belay.v1');
  });

  test('from a page needs an origin that is listed, or the one of the gateway [ws.auth]', async () => {
    const { url } = await start({ origins: ['https://chat.example'] });
    expect(await refusedUpgrade(url, { origin: 'https://evil.example' })).toBe(403);
    expect(await refusedUpgrade(url, { origin: 'https://chat.example.evil.example' })).toBe(403);
    expect(await refusedUpgrade(url, { origin: 'null' })).toBe(403);
    await connectRaw(url, { origin: 'https://chat.example' });
    await connectRaw(url, { origin: `http://127.0.0.1:${portOf(url)}` });
    await connectRaw(url); // without an origin: not a page
  });

  test('under an unknown name of this machine is rejected without tokens: the name may be an attacker’s [ws.auth]', async () => {
    const { url } = await start();
    const host = `evil.example:${portOf(url)}`;
    expect(await refusedUpgrade(url, { headers: { host }, origin: `http://${host}` })).toBe(403);
    await connectRaw(url, { headers: { host: `localhost:${portOf(url)}` }, origin: `http://localhost:${portOf(url)}` });
  });

  test('at another path is not accepted', async () => {
    const { url } = await start();
    expect(await refusedUpgrade(url.replace('/belay', '/other'))).toBe(404);
    await connectRaw(`${url}?x=1`);
  });

  test('leaves other paths of a server to its other listeners', async () => {
    const gateway = createGateway({ runtime: new FakeRuntime(), sources: systemSources, authenticator: tokens() });
    const server = createServer();
    server.on('upgrade', (request, socket) => {
      if (request.url === '/theirs') socket.end('HTTP/1.1 418 teapot\r\n\r\n');
    });
    const detach = attachSockets(server, gateway, { path: '/ours' });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await refusedUpgrade(`${base}/theirs`)).toBe(418);
    const client = await connectRaw(`${base}/ours`);
    expect(await client.hello('a-token-of-ann-0001')).toMatchObject({ speaker: 'ann' });
    detach();
    client.socket.terminate();
  });
});

describe('listening', () => {
  test('elsewhere than on loopback needs tokens [ws.auth]', async () => {
    const local = createGateway({
      runtime: new FakeRuntime(),
      sources: systemSources,
      authenticator: { kind: 'local', verify: async () => null },
    });
    await expect(listen(local, { host: '0.0.0.0', port: 0 })).rejects.toThrow(
      /listens on loopback only, and 0\.0\.0\.0 is not/,
    );
    const open = createGateway({ runtime: new FakeRuntime(), sources: systemSources, authenticator: tokens() });
    const listening = await listen(open, { host: '0.0.0.0', port: 0 });
    await listening.close();
  });

  test('has a health page', async () => {
    const { url } = await start();
    const health = await fetch(url.replace('ws:', 'http:').replace('/belay', '/healthz'));
    expect([health.status, await health.json()]).toMatchObject([200, { status: 'open' }]);
    expect((await fetch(url.replace('ws:', 'http:'))).status).toBe(426);
  });

  test('a port that is in use is named in the error', async () => {
    const { listening } = await start();
    const { port } = listening.server.address() as AddressInfo;
    const gateway = createGateway({ runtime: new FakeRuntime(), sources: systemSources, authenticator: tokens() });
    await expect(listen(gateway, { port })).rejects.toThrow(/EADDRINUSE/);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['', false],
  ])('%s is of this machine alone: %s', (host, is) => {
    expect(isLoopback(host)).toBe(is);
  });
});
