// Proxies and certificates of the environment.
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionPool } from '../../../../src/adapters/models/transport/connection-pool.ts';
import { createHttpFetch, type Fetch } from '../../../../src/adapters/models/transport/http-fetch.ts';
import { startChild } from '../../../support/child.ts';
import { until } from '../../../support/until.ts';
import { certificateFile, startSecureServer, startServer, startTunnelProxy } from './servers.ts';

function fetchIn(environment: Readonly<Record<string, string>>): Fetch {
  const pool = new ConnectionPool(environment);
  onTestFinished(() => pool.close());
  return createHttpFetch(pool);
}

/** The output of a process that has fetched the address. */
async function outputOf(url: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = startChild('test/children/http-fetch.ts', { args: [url], env });
  await child.ended();
  return child.stdout().trim();
}

describe('proxies', () => {
  test.each(['HTTP_PROXY', 'http_proxy'])('%s is asked for http addresses', async (name) => {
    const proxy = await startTunnelProxy(0);
    const fetch = fetchIn({ [name]: `http://127.0.0.1:${proxy.port}` });
    const response = await fetch('http://endpoint.test/v1/chat', { method: 'POST', body: '{}' });
    expect(await response.text()).toBe('by the proxy');
    expect(proxy.asked).toEqual(['http://endpoint.test/v1/chat']);
  });

  test('NO_PROXY and this machine are reached directly', async () => {
    const { url, port } = await startServer((_, response) => response.end('direct'));
    const proxy = await startTunnelProxy(0);
    const fetch = fetchIn({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'internal.test' });
    expect(await (await fetch(url)).text()).toBe('direct');
    expect(await (await fetch(`http://localhost:${port}/v1`)).text()).toBe('direct');
    const excepted = await fetch('http://internal.test/v1').catch((error) => error);
    expect(excepted.cause).toMatchObject({ syscall: 'getaddrinfo' });
    expect(proxy.asked).toEqual([]);
  });

  test('https goes through one tunnel, which is kept, with a certificate of NODE_EXTRA_CA_CERTS', async () => {
    const endpoint = await startSecureServer((_, response) => response.end('secure'));
    const proxy = await startTunnelProxy(endpoint.port);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: certificateFile };
    expect(await outputOf('https://endpoint.test/v1', env)).toBe('200 secure');
    expect(proxy.asked).toEqual(['CONNECT endpoint.test:443']);
  });

  test('an abort while the tunnel is made closes its connection', async () => {
    const proxy = await startTunnelProxy(0, { isSilent: true });
    const controller = new AbortController();
    const fetch = fetchIn({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const response = fetch('https://endpoint.test/v1', { signal: controller.signal });
    await until(() => proxy.asked.length === 1);
    controller.abort(new Error('enough'));
    await expect(response).rejects.toThrow('enough');
    await until(() => proxy.open() === 0, { what: 'the close at the proxy' });
  });

  test('an address of a proxy that is none does not show its password', async () => {
    const error = await fetchIn({ HTTPS_PROXY: 'http://ann:secret@bad host' })('https://endpoint.test/v1').catch(
      (thrown: unknown) => thrown,
    );
    expect(inspect(error, { depth: 10 })).toContain('HTTPS_PROXY');
    expect(inspect(error, { depth: 10 })).not.toContain('secret');
  });

  test('an address of a proxy that is none is a failure of the request', async () => {
    const response = fetchIn({ HTTP_PROXY: 'not an address' })('http://endpoint.test/v1');
    await expect(response).rejects.toThrow('fetch failed');
  });
});

test('without its authority in NODE_EXTRA_CA_CERTS a certificate is refused', async () => {
  const endpoint = await startSecureServer((_, response) => response.end('secure'));
  expect(await outputOf(endpoint.url, {})).toMatch(/^failed: self-signed certificate/);
  expect(await outputOf(endpoint.url, { NODE_EXTRA_CA_CERTS: certificateFile })).toBe('200 secure');
});
