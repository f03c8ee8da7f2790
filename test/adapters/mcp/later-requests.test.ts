// Calls that are several requests: a failure of a later one does not undo what the server has done since the first.
import { expect, test } from 'vitest';
import { httpFailure } from '../../../src/adapters/mcp/http-failure.ts';
import { startChild } from '../../support/child.ts';
import { type PlayedServer, playServer } from './http-server.ts';
import { connected } from './mcp.ts';

const task = { taskId: 't', status: 'working', ttl: null, createdAt: '2026-11-23', lastUpdatedAt: '2026-11-23' };

/** A server whose tool can only be run as a task, and which responds with the status to the request for the result. */
async function playTasks(status: number): Promise<PlayedServer> {
  const results: Readonly<Record<string, object>> = {
    'tools/list': {
      tools: [{ name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
    },
    'tools/call': { task },
  };
  const server: PlayedServer = await playServer({
    tools: {},
    before(_, response) {
      const { id, method = '' } = server.received.at(-1)?.message ?? {};
      const result = results[method];
      if (result) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      } else if (method === 'tasks/result') response.writeHead(status, { location: 'http://elsewhere/' }).end();
      return result !== undefined || method === 'tasks/result';
    },
  });
  return server;
}

test.each([401, 403, 404, 302])(
  'a task that was started may have had effects, and is started once, whatever the request for its result gets: HTTP %i [history.effect] [tool.mcp]',
  async (status) => {
    const server = await playTasks(status);
    const { call } = await connected({ web: { url: server.url } });
    const { kind, effect } = await call('web__work').end;
    const starts = server.received.filter(({ message }) => message?.method === 'tools/call').length;
    expect({ kind, effect, starts }).toEqual({ kind: 'failed', effect: undefined, starts: 1 });
  },
);

test('a call that has asked may have had effects, when its server is gone before the answer [history.effect] [tool.mcp]', async () => {
  const child = startChild('test/children/mcp-modern-server.ts', { args: ['token', 'http'] });
  const [, url = ''] = await child.untilPrinted(/(http:\S+)\n/);
  const { call } = await connected({ modern: { url } });
  const ask = async () => {
    child.signal('SIGKILL');
    await child.ended();
    return 'Ann';
  };
  const { kind, code, effect } = await call('modern__ask', {}, { ask }).end;
  expect({ kind, code, effect }).toEqual({ kind: 'failed', code: 'mcp_lost', effect: undefined });
});

test('a redirect proves nothing: 303 says that the request was handled [history.effect] [tool.mcp]', async () => {
  const server: PlayedServer = await playServer({
    tools: { work: () => {} },
    before(_, response) {
      const isCall = server.received.at(-1)?.message?.method === 'tools/call';
      if (isCall) response.writeHead(303, { location: 'http://elsewhere/' }).end();
      return isCall;
    },
  });
  const { call } = await connected({ web: { url: server.url } });
  const { kind, code, effect } = await call('web__work').end;
  expect({ kind, code, effect }).toEqual({ kind: 'failed', code: 'mcp_failed', effect: undefined });
});

test.each([
  ['connect', 'mcp_unavailable', 'none'],
  ['read', 'mcp_lost', undefined],
])('a host that is out of reach at the `%s` of a connection: %s [history.effect]', (syscall, code, effect) => {
  const cause = Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: 'EHOSTUNREACH', syscall });
  expect(httpFailure(new TypeError('fetch failed', { cause }), true)).toMatchObject({ code, effect });
});
