// The page over HTTP: its files, their types, its policy, and nothing beside them.
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';

async function startPage(path?: string): Promise<string> {
  const { url } = await startGateway({ runtime: new FakeRuntime() }, path === undefined ? {} : { path });
  return new URL('/', url.replace(/^ws/, 'http')).href;
}

test('the page has its type, a policy that runs no script of others, and is asked for again each time', async () => {
  const response = await fetch(await startPage());
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
    'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
  });
  expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
  expect(response.headers.get('set-cookie')).toBeNull();
  const html = await response.text();
  expect(html).toContain('<meta name="belay-path" content="/belay"');
  const [, script = ''] = /src="\.\/(page\/[^"]+\.js)"/.exec(html) ?? [];
  const loaded = await fetch(new URL(script, response.url));
  expect(loaded.status).toBe(200);
  expect(loaded.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test('a copy that is still good is not sent again', async () => {
  const address = await startPage();
  const tag = (await fetch(address)).headers.get('etag') ?? '';
  const again = await fetch(address, { headers: { 'if-none-match': tag } });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe('');
});

test('the page says where the socket is, also where that is another path', async () => {
  const html = await (await fetch(await startPage('/a/"b'))).text();
  expect(html).toContain('<meta name="belay-path" content="/a/&quot;b"');
});

test.each(['/page/../package.json', '/page/%2e%2e/package.json', '/package.json', '/page/', '/page', '/index.htm'])(
  '%s is no file of the page',
  async (path) => {
    const address = await startPage();
    const response = await fetch(`${address.slice(0, -1)}${path}`);
    expect(response.status).toBe(404);
  },
);

test('nothing but GET and HEAD gets it', async () => {
  const address = await startPage();
  expect((await fetch(address, { method: 'POST' })).status).toBe(404);
  const head = await fetch(address, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
  expect(head.status).toBe(200);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
});

test('it is sent compressed to whoever accepts that', async () => {
  const address = await startPage();
  const plain = await (await fetch(address, { headers: { 'accept-encoding': 'identity' } })).text();
  const { readPageFiles } = await import('../../src/gateway/http/page-files.ts');
  const reply = (await readPageFiles({ path: '/belay', isScripted: false })).reply({
    method: 'GET',
    url: '/',
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(reply?.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(reply?.body ?? Buffer.alloc(0)).toString('utf8')).toBe(plain);
});
