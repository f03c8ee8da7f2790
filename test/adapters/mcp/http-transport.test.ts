// Servers over streamable HTTP: cancellation, streams that break, responses that are no MCP.
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type CallPlayer, eventText, playServer, resultOf } from './http-server.ts';
import { connected } from './mcp.ts';

const echo: CallPlayer = ({ answer, response }) => {
  answer('here');
  response.end();
};
const wait: CallPlayer = ({ response }) => response.flushHeaders();

test('a call is answered on its own stream, under the session and revision that were agreed on [tool.mcp]', async () => {
  const server = await playServer({ tools: { echo } });
  const { call } = await connected({ web: { url: server.url, headers: { authorization: 'Bearer token' } } });
  expect(await call('web__echo').end).toEqual({ kind: 'completed', output: 'here' });
  const asked = server.received.find(({ message }) => message?.method === 'tools/call');
  expect(asked?.headers).toMatchObject({
    authorization: 'Bearer token',
    'mcp-session-id': 'session-1',
    'mcp-protocol-version': '2025-06-18',
  });
});

test('a response need not be a stream', async () => {
  const json: CallPlayer = ({ id, response }) => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...resultOf('plain') }));
  };
  const server = await playServer({ tools: { json } });
  const { call } = await connected({ web: { url: server.url } });
  expect(await call('web__json').end).toMatchObject({ kind: 'completed', output: 'plain' });
});

test('a cancel names the request id, then the stream and the session are closed [tool.mcp] [cancel.bounded]', async () => {
  const server = await playServer({ tools: { wait, echo } });
  const { call } = await connected({ web: { url: server.url } });
  const waiting = call('web__wait');
  await until(() => server.open.has('wait'));
  waiting.cancel();
  expect(await waiting.end).toEqual({
    kind: 'stopped',
    output: '',
    message: 'The connection to web was closed. It is not known whether the server has stopped the work.',
  });
  await until(() => !server.open.has('wait'), { what: 'the server to see the stream closed' });
  const asked = server.received.find(({ message }) => message?.method === 'tools/call');
  const after = server.received.slice((asked ? server.received.indexOf(asked) : 0) + 1);
  expect(after.map(({ method, message }) => message?.method ?? method)).toEqual(['notifications/cancelled', 'DELETE']);
  expect(after[0]?.message?.params?.['requestId']).toBe(asked?.message?.id);

  expect(await call('web__echo').end, 'a session of its own').toMatchObject({ output: 'here' });
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-2');
});

test('a trusted server keeps its session; only the stream of the call is closed [tool.mcp]', async () => {
  const server = await playServer({ tools: { wait, echo } });
  const { call } = await connected({ web: { url: server.url, trusted: true } });
  const waiting = call('web__wait');
  await until(() => server.open.has('wait'));
  waiting.cancel();
  expect(await waiting.end).toEqual({ kind: 'stopped', output: '' });
  await until(() => !server.open.has('wait'), { what: 'the server to see the stream closed' });
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-1');
});

test('a response that comes after all ends a cancelled request, and the session lives on [tool.mcp]', async () => {
  let finish = () => {};
  const late: CallPlayer = ({ answer, response }) => {
    response.flushHeaders();
    finish = () => answer('after all');
  };
  const server = await playServer({ tools: { late, echo } });
  const { call } = await connected({ web: { url: server.url } }, { cancelGraceMs: 60_000 });
  const waiting = call('web__late');
  await until(() => server.open.has('late'));
  waiting.cancel();
  await until(() => server.received.some(({ message }) => message?.method === 'notifications/cancelled'));
  finish();
  expect(await waiting.end).toEqual({ kind: 'stopped', output: 'after all' });
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-1');
});

test.each([
  ['numbered, to be polled later', 'e1'],
  ['not numbered', undefined],
])('the end of its stream proves nothing of a cancelled request: %s [tool.mcp]', async (_, eventId) => {
  const streams: (() => void)[] = [];
  const ends: CallPlayer = ({ event, response }) => {
    event({ method: 'notifications/message', params: { level: 'info', data: 'x' } }, eventId);
    streams.push(() => response.end());
  };
  const server = await playServer({ tools: { ends, echo } });
  const { call } = await connected({ web: { url: server.url } });
  const waiting = call('web__ends');
  await until(() => server.open.has('ends'));
  waiting.cancel();
  await until(() => server.received.some(({ message }) => message?.method === 'notifications/cancelled'));
  for (const end of streams) end();
  expect(await waiting.end).toMatchObject({
    kind: 'stopped',
    message: expect.stringMatching(/not known whether/),
  });
  expect(server.received.at(-1)?.method, 'the session was ended').toBe('DELETE');
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
});

test('beside a live call the stopped one is pending until that has ended [tool.mcp] [cancel.tool]', async () => {
  let finish = () => {};
  const slow: CallPlayer = ({ answer, response }) => {
    response.flushHeaders();
    finish = () => {
      answer('finished');
      response.end();
    };
  };
  const server = await playServer({ tools: { wait, slow } });
  const { call } = await connected({ web: { url: server.url } }, { cancelGraceMs: 50 });
  const [sibling, stopped] = [call('web__slow'), call('web__wait')];
  await until(() => server.open.size === 2);
  stopped.cancel();
  let hasEnded = false;
  void stopped.end.then(() => {
    hasEnded = true;
  });
  await until(() => server.received.some(({ message }) => message?.method === 'notifications/cancelled'));
  finish();
  expect(await sibling.end).toMatchObject({ output: 'finished' });
  expect(hasEnded).toBe(false);
  await stopped.end;
  await until(() => server.open.size === 0);
});

test('a stream that ends without its response fails its call, and no other [tool.mcp]', async () => {
  const gone: CallPlayer = ({ response }) => response.end();
  const broken: CallPlayer = ({ response }) => {
    response.write(': hello\n\n');
    response.destroy();
  };
  let finish = () => {};
  const slow: CallPlayer = ({ answer, response }) => {
    response.flushHeaders();
    finish = () => {
      answer('finished');
      response.end();
    };
  };
  const server = await playServer({ tools: { gone, broken, slow } });
  const { call } = await connected({ web: { url: server.url } });
  const sibling = call('web__slow');
  await until(() => server.open.has('slow'));
  for (const name of ['gone', 'broken'])
    expect(await call(`web__${name}`).end).toMatchObject({ kind: 'failed', code: 'mcp_lost' });
  finish();
  expect(await sibling.end).toMatchObject({ kind: 'completed', output: 'finished' });
});

test('a stream whose events are numbered is resumed after the last of them [tool.mcp]', async () => {
  const resumable: CallPlayer = ({ event, response }) => {
    response.write('retry: 10\n\n');
    event({ method: 'notifications/message', params: { level: 'info', data: 'x' } }, 'e1');
    response.end();
  };
  const asked: (string | undefined)[] = [];
  const server = await playServer({
    tools: { resumable },
    onGet(request, response) {
      const after = request.headers['last-event-id'];
      if (after === undefined) return void response.writeHead(405).end();
      asked.push(String(after));
      const id = server.received.find(({ message }) => message?.method === 'tools/call')?.message?.id ?? -1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(eventText({ id, ...resultOf('resumed') }, 'e2'));
    },
  });
  const { call } = await connected({ web: { url: server.url } });
  expect(await call('web__resumable').end).toMatchObject({ kind: 'completed', output: 'resumed' });
  expect(asked).toEqual(['e1']);
});

test('nothing is resumed for a call that was cancelled [cancel.fence]', async () => {
  const resumable: CallPlayer = ({ event }) =>
    event({ method: 'notifications/message', params: { level: 'info', data: 'x' } }, 'e1');
  const server = await playServer({ tools: { resumable } });
  const { call } = await connected({ web: { url: server.url } }, { cancelGraceMs: 100 });
  const waiting = call('web__resumable');
  await until(() => server.open.has('resumable'));
  waiting.cancel();
  await waiting.end;
  expect(server.received.filter(({ headers }) => 'last-event-id' in headers)).toEqual([]);
});

test.each([302, 401, 403, 404, 500])(
  'a server that responds with %i to the optional stream is used all the same [tool.mcp]',
  async (status) => {
    const server = await playServer({
      tools: { echo },
      onGet: (_, response) => void response.writeHead(status, { location: 'http://elsewhere/' }).end(),
    });
    const { mcp, call } = await connected({ web: { url: server.url } });
    expect(mcp.states()).toEqual([{ name: 'web', phase: 'ready', tools: 1, problem: null }]);
    await until(() => server.received.some(({ method }) => method === 'GET'), { what: 'it to be asked' });
    for (let i = 0; i < 2; i++) expect(await call('web__echo').end).toMatchObject({ output: 'here' });
    expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-1');
  },
);

test('a session that the server has forgotten is opened anew, and the call made again [tool.mcp]', async () => {
  const server = await playServer({ tools: { echo } });
  const { call } = await connected({ web: { url: server.url } });
  server.forget();
  expect(await call('web__echo').end).toMatchObject({ kind: 'completed', output: 'here' });
});

const pageOfProxy =
  '<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<h1>502 Bad Gateway</h1>\n<hr>nginx\n</body>\n</html>';

test.each([
  [401, 'mcp_unavailable', 'no token', /responded with HTTP 401: no token/],
  [500, 'mcp_failed', 'no token', /responded with HTTP 500: no token/],
  [502, 'mcp_failed', pageOfProxy, /responded with HTTP 502: 502 Bad Gateway nginx/],
  [302, 'mcp_failed', 'no token', /responded with a redirect, which is not followed: .*http:\/\/elsewhere\//],
])('HTTP %i fails the call with %s', async (status, code, body, says) => {
  let isBroken = false;
  const server = await playServer({
    tools: { echo },
    before(request, response) {
      if (!isBroken || request.method !== 'POST') return false;
      response.writeHead(status, { location: 'http://elsewhere/' }).end(body);
      return true;
    },
  });
  const { call } = await connected({ web: { url: server.url } });
  isBroken = true;
  const end = await call('web__echo').end;
  expect(end).toMatchObject({ kind: 'failed', code });
  expect(end.message).toMatch(says);
});

test('a server that cannot be reached is tried again after a pause [tool.mcp]', async () => {
  const server = await playServer({ tools: { echo } });
  const { call } = await connected({ web: { url: server.url } }, { restartMinMs: 10 });
  server.close();
  for (let i = 0; i < 2; i++) {
    const end = await call('web__echo').end;
    expect(end).toMatchObject({ kind: 'failed', code: 'mcp_unavailable', effect: 'none' });
    expect(end.message).toMatch(/cannot be reached \(ECONNREFUSED\)/);
  }
});

test.each<readonly [string, CallPlayer, RegExp]>([
  ['nonsense', ({ event }) => event({ foo: 'bar' }), /no message of MCP/],
  ['a response to no request', ({ event, id }) => event({ id: id + 9, ...resultOf('x') }), /never made/],
  [
    'a flood',
    ({ response }) =>
      void response.write(
        eventText({ method: 'notifications/message', params: { level: 'info', data: 'x' } }).repeat(2_000),
      ),
    /more than 1000 unrequested messages/,
  ],
])('%s costs the server its session, with a named failure [tool.mcp]', async (_, bad, says) => {
  const server = await playServer({ tools: { bad, wait, echo } });
  const { call } = await connected({ web: { url: server.url } }, { maxFrameBytes: 100_000 });
  const sibling = call('web__wait');
  await until(() => server.open.has('wait'));
  const end = await call('web__bad').end;
  expect(end).toMatchObject({ kind: 'failed', code: 'mcp_protocol' });
  expect(end.message).toMatch(says);
  expect(await sibling.end).toMatchObject({ kind: 'failed', code: 'mcp_protocol' });
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
});

test('one that never responds to the end of the session does not delay the stop [cancel.bounded]', async () => {
  const server = await playServer({
    tools: { wait },
    before: (request) => request.method === 'DELETE',
  });
  const { mcp, call } = await connected({ web: { url: server.url } }, { closeMs: 100 });
  const waiting = call('web__wait');
  await until(() => server.open.has('wait'));
  waiting.cancel();
  expect(await waiting.end).toMatchObject({ kind: 'stopped' });
  await mcp.close();
  await until(() => server.open.size === 0);
});
