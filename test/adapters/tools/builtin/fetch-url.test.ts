// Tool `fetch_url` with real servers on loopback.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type BuiltinOptions, builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import type { Resolve } from '../../../../src/adapters/tools/checked-lookup.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { callsOnce, startHarness } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';
import { call, named } from './folder.ts';

interface Site {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Connections that are open now. */
  open(): Promise<number>;
  readonly requests: string[];
}

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<Site> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { url: `http://${host}:${port}`, port, server, open, requests };
}

const fetcher = (options: BuiltinOptions = {}) =>
  named(builtinTools({ allowAddresses: ['127.0.0.1'], ...options }), 'fetch_url');

const site = () =>
  serve(({ url }, response) => {
    if (url === '/never') return void response.write('so far');
    response.setHeader('content-type', 'text/plain; charset=utf-8').end('hellö');
  });

testToolContract('fetch_url', async () => {
  const { url } = await site();
  return {
    tool: fetcher(),
    good: { url },
    bad: [
      { input: {}, names: 'url' },
      { input: { url: 'x'.repeat(9_000) }, names: 'at most 8192' },
    ],
    endless: { url: `${url}/never` },
  };
});

test('it returns a text with its URL', async () => {
  const { url } = await site();
  expect(await call(fetcher(), { url: `${url}/a?b=c` })).toEqual({
    kind: 'completed',
    output: `HTTP 200 ${url}/a?b=c\n\nhellö`,
  });
});

test('an error of the server keeps its text', async () => {
  const { url } = await serve((_, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('not here'),
  );
  expect(await call(fetcher(), { url })).toMatchObject({
    kind: 'failed',
    code: 'tool_failed',
    message: 'HTTP 404',
    output: expect.stringContaining('not here'),
  });
});

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,x', 'nonsense'])(
  '%s is not fetched',
  async (url) => {
    expect(await call(fetcher(), { url })).toMatchObject({ kind: 'failed', code: 'tool_failed', effect: 'none' });
  },
);

test.each([
  'http://127.0.0.1',
  'http://localhost',
  'http://127.1',
  'http://0x7f000001',
  'http://2130706433',
  'http://0.0.0.0',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://10.1.2.3',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00::1]',
  'http://[fe80::1]',
])('%s is refused unless the configuration allows it, and no server gets a connection', async (address) => {
  const { port, requests } = await serve((_, response) => response.end('inside'));
  const url = new URL(address);
  url.port = String(port);
  const end = await call(fetcher({ allowAddresses: [] }), { url: url.href });
  expect(end).toMatchObject({ kind: 'failed', code: 'address_refused' });
  expect(requests).toEqual([]);
});

test('redirects are followed up to their limit', async () => {
  const { url, requests } = await serve(({ url: path }, response) => {
    const left = Number(path?.slice(1));
    if (left === 0) return void response.end('there');
    response.writeHead(302, { location: String(left - 1) }).end('x'.repeat(100_000));
  });
  const tool = fetcher({ limits: { redirects: 3 } });
  expect(await call(tool, { url: `${url}/3` })).toMatchObject({
    kind: 'completed',
    output: expect.stringContaining('there'),
  });
  expect(requests).toEqual(['/3', '/2', '/1', '/0']);
  expect(await call(tool, { url: `${url}/4` })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('more than 3'),
  });
});

test('a redirect to an address that is not allowed is refused, and that server gets no connection', async () => {
  const hidden = await serve((_, response) => response.end('inside'), '127.0.0.2');
  const targets = [hidden.url, `http://localhost.:${hidden.port}`, `//127.0.0.2:${hidden.port}/x`];
  const { url } = await serve(({ url: path }, response) => {
    response.writeHead(307, { location: targets[Number(path?.slice(1))] }).end();
  });
  const resolve: Resolve = (_, callback) => callback(null, [{ address: '127.0.0.2', family: 4 }]);
  for (const place of targets.keys()) {
    const end = await call(fetcher({ resolve }), { url: `${url}/${place}` });
    expect(end).toMatchObject({ kind: 'failed', code: 'address_refused' });
  }
  expect(hidden.requests).toEqual([]);
});

test('a redirect to another scheme is refused', async () => {
  const { url } = await serve((_, response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end());
  expect(await call(fetcher(), { url })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('Only http'),
  });
});

test('a name is looked up once, and the connection goes to the address that was checked', async () => {
  const hidden = await serve((_, response) => response.end('inside'), '127.0.0.2');
  const open = await serve((_, response) => response.end('open'), '127.0.0.1');
  let asked = 0;
  // returns the allowed address first, then always the other one
  const resolve: Resolve = (_, callback) =>
    callback(null, [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
  const tool = fetcher({ resolve });
  const end = await call(tool, { url: `http://rebinding.test:${open.port}` });
  expect(end).toMatchObject({ kind: 'completed', output: expect.stringContaining('open') });
  expect(asked).toBe(1);
  const again = await call(tool, { url: `http://rebinding.test:${hidden.port}` });
  expect(again).toMatchObject({ kind: 'failed', code: 'address_refused' });
  expect(hidden.requests).toEqual([]);
});

test('a name with one allowed and one other address is refused', async () => {
  const { port, requests } = await site();
  const resolve: Resolve = (_, callback) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]);
  expect(await call(fetcher({ resolve }), { url: `http://both.test:${port}` })).toMatchObject({
    code: 'address_refused',
  });
  expect(requests).toEqual([]);
});

test('an unknown name and a missing server are reported as sentences', async () => {
  const resolve: Resolve = (_, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
  expect(await call(fetcher({ resolve }), { url: 'http://nowhere.test' })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('no host of that name'),
  });
  const { url, server } = await site();
  await new Promise((done) => server.close(done));
  expect(await call(fetcher(), { url })).toMatchObject({ kind: 'failed', message: expect.stringContaining('refused') });
});

test('a stopped call closes its connection to the server [tool.signal] [ladder.call.running]', async () => {
  let closed = 0;
  const { url, open, requests } = await serve((request, response) => {
    response.on('close', () => closed++);
    if (request.url === '/body') response.write('so far');
  });
  for (const path of ['/silent', '/body']) {
    const recorded = recordingContext();
    const end = fetcher().run({ url: url + path }, recorded.context);
    await until(() => requests.includes(path), { what: 'the request' });
    recorded.stop.abort();
    expect(await end).toMatchObject({ kind: 'stopped' });
    await until(async () => (await open()) === 0, { what: 'the server to see it closed' });
  }
  expect(closed).toBe(2);
});

test('a response that is too long is aborted, and its connection closed', async () => {
  const { url, open } = await serve((_, response) => {
    const flood = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', flood);
    };
    flood();
  });
  const end = await call(fetcher({ limits: { fetchBytes: 50_000 } }), { url });
  expect(end).toMatchObject({ kind: 'failed', code: 'too_large', message: expect.stringContaining('50000') });
  await until(async () => (await open()) === 0, { what: 'the server to see it closed' });
});

test.each([
  { set: {}, ms: 60_000 },
  { set: { fetch_url: 120_000 }, ms: 120_000 },
])(
  'a server that does not respond is stopped after $ms ms, all redirects together, and its connection closed [tool.timeout]',
  async ({ set, ms }) => {
    const { url, open, requests } = await serve(({ url: path }, response) => {
      if (path === '/') response.writeHead(302, { location: '/silent' }).end();
    });
    const harness = await startHarness({
      tools: [fetcher()],
      toolTimeouts: set,
      respond: callsOnce(['fetch_url', { url }]),
    });
    await harness.say('words');
    await until(() => requests.includes('/silent'), { what: 'the request' });
    await harness.clock.advance(ms - 1_000);
    expect(harness.recorder.of('tool_result')).toEqual([]);
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_timeout')).toMatchObject([{ node: harness.callNamed('fetch_url'), ms }]);
    await until(async () => (await open()) === 0, { what: 'the server to see it closed' });
    await until(() => harness.recorder.of('tool_result').length === 1, { what: 'its result' });
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'timed_out', effect: 'none' }]);
  },
);

test('a response that is no text, or is compressed, is refused with a sentence', async () => {
  const { url } = await serve(({ url: path }, response) => {
    if (path === '/png') response.setHeader('content-type', 'image/png');
    if (path === '/gzip') response.setHeader('content-encoding', 'gzip');
    if (path === '/latin1') response.setHeader('content-type', 'text/plain; charset=iso-8859-1');
    response.end(Buffer.from([0xe4]));
  });
  expect(await call(fetcher(), { url: `${url}/png` })).toMatchObject({ message: expect.stringContaining('image/png') });
  expect(await call(fetcher(), { url: `${url}/gzip` })).toMatchObject({ message: expect.stringContaining('gzip') });
  expect(await call(fetcher(), { url: `${url}/latin1` })).toMatchObject({ output: expect.stringContaining('\n\nä') });
});

test('a connection that breaks in the middle is a failure, not a short text', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  });
  expect(await call(fetcher(), { url })).toMatchObject({ kind: 'failed', code: 'tool_failed' });
});

test('a name that the system does not know is a failed call', async () => {
  expect(await call(fetcher(), { url: 'http://no-such-host.invalid/' })).toMatchObject({
    kind: 'failed',
    code: 'tool_failed',
    message: expect.stringMatching(/no host of that name|EAI_AGAIN/),
  });
});
