// The fetch for model endpoints: what it sends, what it returns, and that an abort closes the socket.
import { getEventListeners } from 'node:events';
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionPool } from '../../../../src/adapters/models/transport/connection-pool.ts';
import { createHttpFetch, type Fetch } from '../../../../src/adapters/models/transport/http-fetch.ts';
import { until } from '../../../support/until.ts';
import { startServer } from './servers.ts';

function openFetch(): Fetch {
  const pool = new ConnectionPool({});
  onTestFinished(() => pool.close());
  return createHttpFetch(pool);
}

/** An endpoint that responds with what it has received. */
const startEcho = () =>
  startServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });

describe('requests', () => {
  test('text, bytes, streams, forms and a Request arrive as they were given', async () => {
    const { url } = await startEcho();
    const fetch = openFetch();
    const ask = async (...args: Parameters<Fetch>) => (await (await fetch(...args)).json()) as Record<string, never>;
    expect(await ask(`${url}/a?b=c`)).toMatchObject({ method: 'GET', url: '/v1/a?b=c', body: '' });
    const headers = { 'content-type': 'application/json', 'X-Own': 'yes' };
    expect(await ask(new URL(url), { method: 'post', headers, body: '{"a":"ü"}' })).toMatchObject({
      method: 'POST',
      body: '{"a":"ü"}',
      headers: { 'content-type': 'application/json', 'content-length': '10', 'x-own': 'yes' },
    });
    expect(await ask(url, { method: 'POST', body: new TextEncoder().encode('bytes') })).toMatchObject({
      body: 'bytes',
    });
    const body = new Blob(['a stream']).stream();
    const streamed = await ask(url, { method: 'POST', body, duplex: 'half' });
    expect(streamed).toMatchObject({ body: 'a stream', headers: { 'transfer-encoding': 'chunked' } });
    const form = new FormData();
    form.set('name', 'value');
    expect(await ask(url, { method: 'POST', body: form })).toMatchObject({
      body: expect.stringContaining('name="name"'),
      headers: { 'content-type': expect.stringContaining('multipart/form-data; boundary=') },
    });
    const request = new Request(url, { method: 'PUT', body: 'of a request', headers: { 'x-own': 'too' } });
    expect(await ask(request)).toMatchObject({ method: 'PUT', body: 'of a request', headers: { 'x-own': 'too' } });
  });

  test('an address with credentials, or of another protocol, is refused', async () => {
    await expect(openFetch()('http://ann:secret@127.0.0.1/v1')).rejects.toThrow('The URL contains credentials.');
    await expect(openFetch()('ftp://127.0.0.1/v1')).rejects.toThrow('The protocol ftp: is not supported');
  });
});

describe('responses', () => {
  test('status, headers, address and body are those of the endpoint', async () => {
    const { url } = await startServer((_, response) => {
      response.writeHead(418, 'Short and Stout', { 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'] });
      response.end('body');
    });
    const response = await openFetch()(url);
    expect(response).toMatchObject({ status: 418, statusText: 'Short and Stout', ok: false, url });
    expect(response.headers.get('x-own')).toBe('yes');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const copy = response.clone();
    expect(await response.text()).toBe('body');
    expect(await copy.text()).toBe('body');
    expect(response.bodyUsed).toBe(true);
  });

  test('a response without a body has none, and its connection is used again', async () => {
    const { url, connections } = await startServer((_, response) => response.writeHead(204).end());
    const fetch = openFetch();
    for (let i = 0; i < 3; i++) {
      expect((await fetch(url, { method: 'POST', body: '{}' })).body).toBeNull();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections).toHaveLength(1);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('a body that is compressed with %s unasked is read', async (encoding, compress) => {
    const { url } = await startServer((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('some words'));
    });
    expect(await (await openFetch()(url)).text()).toBe('some words');
  });

  test('a compressed stream arrives piece by piece', async () => {
    const gzip = createGzip();
    const { url } = await startServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      gzip.pipe(response);
      gzip.write('one');
      gzip.flush();
    });
    const pieces = (await openFetch()(url)).body?.getReader();
    expect(Buffer.from((await pieces?.read())?.value ?? []).toString()).toBe('one');
    gzip.end('two');
    expect(Buffer.from((await pieces?.read())?.value ?? []).toString()).toBe('two');
    expect((await pieces?.read())?.done).toBe(true);
  });

  test('a redirect is not followed, unless the caller wants to see it', async () => {
    const other = await startEcho();
    const { url } = await startServer((_, response) => response.writeHead(307, { location: other.url }).end('moved'));
    const refused = await openFetch()(url, { method: 'POST', body: '{}' }).catch((error) => error);
    expect(refused.cause).toMatchObject({ code: 'ERR_REDIRECT_REFUSED', message: expect.stringContaining(other.url) });
    expect(await (await openFetch()(url, { redirect: 'manual' })).text()).toBe('moved');
    expect(other.connections).toHaveLength(0);
  });

  test('a connection that breaks rejects with the cause', async () => {
    const { url, server } = await startServer((_, response) => response.destroy());
    const broken = await openFetch()(url).catch((error) => error);
    expect(broken).toBeInstanceOf(TypeError);
    expect(broken.cause).toMatchObject({ code: 'ECONNRESET' });
    server.close();
    await until(() => !server.listening);
    const refused = await openFetch()(url).catch((error) => error);
    expect(refused.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('one pool', () => {
  test('requests that follow each other share a connection; those at the same time have one each', async () => {
    const { url, connections } = await startEcho();
    const fetch = openFetch();
    for (let i = 0; i < 5; i++) await (await fetch(url, { method: 'POST', body: '{}' })).text();
    expect(connections).toHaveLength(1);
    for (let i = 0; i < 3; i++) await Promise.all([0, 1, 2, 3].map(async () => (await fetch(url)).text()));
    expect(connections).toHaveLength(4);
  });

  test('a request that meets the close of a kept connection is sent on a new one', async () => {
    const { url, connections } = await startServer((request, response) => {
      if (connections.length === 1 && request.method === 'POST') request.socket.resetAndDestroy();
      else response.end('ok');
    });
    const fetch = openFetch();
    await (await fetch(url)).text();
    expect(await (await fetch(url, { method: 'POST', body: 'again' })).text()).toBe('ok');
    expect(connections).toHaveLength(2);
  });
});

describe('an abort closes the socket', () => {
  const reason = new Error('enough');

  test('before the request: nothing is sent', async () => {
    const { url, connections } = await startEcho();
    await expect(openFetch()(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(connections).toHaveLength(0);
  });

  test('while the endpoint is silent', async () => {
    const { url, connections, open } = await startServer(() => {});
    const controller = new AbortController();
    const response = openFetch()(url, { signal: controller.signal, method: 'POST', body: '{}' });
    await until(() => connections.length === 1);
    controller.abort(reason);
    await expect(response).rejects.toBe(reason);
    await until(() => open() === 0, { what: 'the close at the server' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('while the body is read, also a compressed one', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const { url, open } = await startServer((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.write(encoding === 'gzip' ? gzipSync('some words').subarray(0, 12) : 'some words');
      });
      const controller = new AbortController();
      const response = await openFetch()(url, { signal: controller.signal });
      const text = response.text();
      controller.abort(reason);
      await expect(text).rejects.toBe(reason);
      await until(() => open() === 0, { what: 'the close at the server' });
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    }
  });

  test('when the reader cancels the body', async () => {
    const { url, open } = await startServer((_, response) => void response.write('some words'));
    const response = await openFetch()(url);
    await response.body?.cancel();
    await until(() => open() === 0, { what: 'the close at the server' });
  });

  test('before anybody reads a compressed body: the error of its decompression does not end the process', async () => {
    const { url, open } = await startServer((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.write(gzipSync('a beginning').subarray(0, 12));
    });
    const errors: unknown[] = [];
    const note = (error: unknown) => void errors.push(error);
    process.prependListener('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    const controller = new AbortController();
    const response = await openFetch()(url, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await until(() => open() === 0, { what: 'the close at the server' });
    expect(errors).toEqual([]);
    await expect(response.text()).rejects.toThrow();
  });

  test('no listener stays on the signal of a request that has ended', async () => {
    const { url } = await startEcho();
    const controller = new AbortController();
    await (await openFetch()(url, { signal: controller.signal })).text();
    await until(() => getEventListeners(controller.signal, 'abort').length === 0);
  });
});
