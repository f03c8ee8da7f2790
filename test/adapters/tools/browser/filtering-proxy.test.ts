// Proxy of a browser: what it forwards, and what it refuses without a connection.
import { request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAddressPolicy } from '../../../../src/adapters/tools/address-policy.ts';
import { startFilteringProxy } from '../../../../src/adapters/tools/browser/filtering-proxy.ts';
import type { Resolve } from '../../../../src/adapters/tools/checked-lookup.ts';
import { refusedRequests, resetEach } from '../../../support/reset-connections.ts';
import { until } from '../../../support/until.ts';
import { serveSite } from './site.ts';

/** Names of a world in which `inside` and `sometimes` have private addresses. */
const resolve: Resolve = (name, callback) =>
  name === 'nowhere'
    ? callback(Object.assign(new Error('getaddrinfo ENOTFOUND nowhere'), { code: 'ENOTFOUND' }), [])
    : callback(null, [{ address: name === 'outside' ? '127.0.0.1' : '127.0.0.2', family: 4 }]);

async function openProxy() {
  const proxy = await startFilteringProxy({ addresses: createAddressPolicy(['127.0.0.1']), resolve });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Status and text, or the code of the network's error. */
const get = (port: number, path: string): Promise<string> =>
  new Promise((done) => {
    const clientRequest = request(
      { host: '127.0.0.1', port, path, headers: { 'proxy-connection': 'keep-alive' } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', () => {});
        response.on('close', () => done(`${response.statusCode} ${text}`));
      },
    );
    clientRequest.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? ''));
    clientRequest.end();
  });

/** The response through a tunnel; empty where it is closed without one. */
const tunnel = (
  port: number,
  target: string,
  say = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
): Promise<string> =>
  new Promise((done) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      if (text === '' && String(chunk).includes(' 200 ')) socket.write(say);
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => done(text));
  });

const site = (host?: string) =>
  serveSite(
    (request, response) => response.end(`${request.headers['proxy-connection'] ?? 'no header of a proxy'}`),
    host,
  );

test('it forwards what is allowed, by request and by tunnel, without a header of its own', async () => {
  const { port } = await openProxy();
  const outside = await site();
  expect(await get(port, `${outside.url}/a?b=c`)).toBe('200 no header of a proxy');
  expect(await get(port, `http://outside:${outside.port}/named`)).toBe('200 no header of a proxy');
  expect(await tunnel(port, `outside:${outside.port}`)).toMatch(/200 Connection Established.*no header of a proxy/s);
  expect(outside.requests).toEqual(['/a?b=c', '/named', '/']);
});

test('it never connects to an address that is not allowed, however it is named', async () => {
  const proxy = await openProxy();
  const inside = await site('127.0.0.2');
  const { port } = inside;
  expect(await get(proxy.port, `http://127.0.0.2:${port}/`)).toBe('ECONNRESET');
  expect(await get(proxy.port, `http://inside:${port}/`)).toBe('ECONNRESET');
  expect(await get(proxy.port, `http://0x7f000002:${port}/`)).toBe('ECONNRESET');
  expect(await tunnel(proxy.port, `127.0.0.2:${port}`)).toBe('');
  expect(await tunnel(proxy.port, `inside:${port}`)).toBe('');
  expect(await tunnel(proxy.port, `[::1]:${port}`)).toBe('');
  expect(inside.connections.count).toBe(0);
  expect(proxy.refusals).toHaveLength(6);
  expect(proxy.refusals[1]).toBe('inside is at 127.0.0.2: an address that the configuration does not allow.');
});

test('it reports a failure, and closes a request that is nonsense', async () => {
  const { port, refusals } = await openProxy();
  expect(await get(port, 'http://nowhere/')).toMatch(/^502 .*ENOTFOUND/);
  expect(await get(port, 'http://127.0.0.1:1/')).toMatch(/^502 .*ECONNREFUSED/);
  expect(await tunnel(port, '127.0.0.1:1')).toMatch(/502/);
  expect(await get(port, '/itself')).toBe('ECONNRESET');
  expect(await get(port, 'file:///etc/passwd')).toBe('ECONNRESET');
  expect(await tunnel(port, 'not an address:x')).not.toMatch(/ 200 /);
  expect(refusals).toEqual([]);
});

test('closing it closes its connections [cancel.clean]', async () => {
  const proxy = await startFilteringProxy({ addresses: createAddressPolicy(['127.0.0.1']), resolve });
  const hanging = await serveSite((_, response) => void response.write('so far'));
  const [one, other] = [get(proxy.port, `${hanging.url}/`), tunnel(proxy.port, `127.0.0.1:${hanging.port}`)];
  await until(() => hanging.requests.length === 2, { what: 'both' });
  await proxy.close();
  expect([await one, await other]).toEqual([expect.any(String), expect.any(String)]);
  await until(async () => (await hanging.open()) === 0, { what: 'the connections to be closed' });
});

/** A server that sends these bytes to whoever connects. */
async function serveBytes(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.each([
  { what: 'a status below 100', bytes: 'HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nhi', received: /^502 / },
  {
    what: 'a trailer without chunks',
    bytes: 'HTTP/1.1 200 X\r\nTrailer: t\r\nContent-Length: 2\r\n\r\nhi',
    received: /^200 hi$/,
  },
  {
    what: 'more than its length',
    bytes: 'HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nhi, and more',
    received: /^(200 (hi)?|ECONNRESET)$/,
  },
  {
    what: 'less than its length',
    bytes: 'HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhi',
    received: /^(200 (hi)?|ECONNRESET)$/,
  },
])('a site that sends $what ends neither the proxy nor its process [ws.limits.reset]', async ({ bytes, received }) => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.prependListener('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));
  const { port } = await openProxy();
  expect(await get(port, await serveBytes(bytes))).toMatch(received);
  expect(await get(port, `${(await site()).url}/`)).toBe('200 no header of a proxy');
  expect(uncaught).toEqual([]);
});

test('a request that names a trailer, and connections that are reset, end neither the proxy nor its process [ws.limits.reset]', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.prependListener('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));
  const { port } = await openProxy();
  const { url } = await site();
  const withTrailer = { 'a trailer': `GET ${url}/ HTTP/1.1\r\nHost: x\r\nTrailer: t\r\n\r\n` };
  await resetEach(port, { ...refusedRequests(port), ...withTrailer }, async () => {
    expect(await get(port, `${url}/`)).toBe('200 no header of a proxy');
  });
  expect(uncaught).toEqual([]);
});
