// The first requests to a server: it may know `server/discover`, `initialize`, or both, and refuse the other in many ways.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { scaled } from '../../support/time-scale.ts';
import { connected } from './mcp.ts';

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: object };
}

type Refuse = (response: ServerResponse, message: Message) => void;

const info = { name: 'played', version: '1' };
const listed = [{ name: 'echo', inputSchema: { type: 'object', properties: {} } }];
const called = { content: [{ type: 'text', text: 'here' }] };
const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** What a server of one revision has to say to each method. */
const answers = {
  'tools/list': { tools: listed },
  'tools/call': called,
};
const revisions: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  '2025-11-25': {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info },
    ...answers,
  },
  '2026-07-28': {
    'server/discover': { ...modern, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: info },
    'tools/list': { ...modern, ...answers['tools/list'] },
    'tools/call': { resultType: 'complete', ...called },
  },
};

/** A server over HTTP that speaks one revision, and refuses all other methods in its own way. */
async function serve(revision: string, refuse: Refuse) {
  const methods: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message: Message = JSON.parse(text);
    methods.push(message.method);
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = revisions[revision]?.[message.method];
    if (!result) return refuse(response, message);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, methods };
}

const refuseWith =
  (status: number, code: number): Refuse =>
  (response, { id }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }));
  };

const refusals: Readonly<Record<string, Refuse>> = {
  'HTTP 400 and -32602': refuseWith(400, -32_602),
  'HTTP 400 and -32000': refuseWith(400, -32_000),
  'HTTP 200 and -32601': refuseWith(200, -32_601),
  'HTTP 404 and -32001': refuseWith(404, -32_001),
  'HTTP 500 and -32603': refuseWith(500, -32_603),
  'a page': (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>'),
  'no words': (response) => void response.writeHead(400).end(),
  'HTTP 202': (response) => void response.writeHead(202).end(),
  'a reset': (response) => void response.destroy(),
};

const cases = Object.keys(revisions).flatMap((revision) =>
  Object.entries(refusals).map(([name, refuse]) => ({ revision, name, refuse })),
);

test.for(cases)(
  'over HTTP one that speaks $revision alone, and refuses what it does not know with $name, is used [tool.mcp]',
  async ({ revision, refuse }) => {
    const { url } = await serve(revision, refuse);
    const { call, warnings } = await connected({ web: { url } });
    expect(warnings).toEqual([]);
    expect(await call('web__echo').end).toEqual({ kind: 'completed', output: 'here' });
  },
);

test('over HTTP one that never responds to what it does not know is sent `initialize` after a time [tool.mcp]', async () => {
  const { url, methods } = await serve('2025-11-25', () => {});
  const { call, warnings } = await connected({ web: { url } }, { startMs: scaled(500) });
  expect(warnings).toEqual([]);
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
  expect(methods.slice(0, 2)).toEqual(['server/discover', 'initialize']);
});

test('over HTTP one that speaks both is spoken to in the newer revision [tool.mcp]', async () => {
  const [older, newer] = [revisions['2025-11-25'], revisions['2026-07-28']];
  const { url, methods } = await serve('2026-07-28', (response, { id, method }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...older, ...newer }[method] }));
  });
  const { call } = await connected({ web: { url } });
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
  expect(methods).toEqual(['server/discover', 'tools/list', 'tools/call']);
});

test.for([401, 403])(
  'over HTTP %i is no refusal of the start: the server is not asked again [tool.mcp]',
  async (status) => {
    const { url, methods } = await serve('none', refuseWith(status, -32_000));
    const { warnings } = await connected({ web: { url } });
    expect(warnings).toEqual([expect.stringContaining(`responded with HTTP ${status}`)]);
    expect(methods).toEqual(['server/discover']);
  },
);

test('over HTTP the words for one that refuses all are those of its refusal [tool.mcp]', async () => {
  const { url, methods } = await serve('none', refuseWith(400, -32_600));
  const { warnings } = await connected({ web: { url } });
  expect(warnings).toEqual([expect.stringContaining('responded with HTTP 400')]);
  expect(new Set(methods)).toEqual(new Set(['server/discover', 'initialize']));
});

/** A process that speaks one revision, and refuses everything else with this error. */
const program = `
const [answers, code] = process.argv.slice(1).map((one) => JSON.parse(one));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method];
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code, message: 'no' } }) }));
});`;

test.for(
  ['2025-11-25', '2026-07-28'].flatMap((revision) =>
    [-32_602, -32_600, -32_601, -32_022, -32_000].map((code) => ({ revision, code })),
  ),
)(
  'over stdio one that speaks $revision alone, and refuses what it does not know with $code, is used [tool.mcp]',
  async ({ revision, code }) => {
    const args = ['-e', program, JSON.stringify(revisions[revision]), String(code)];
    const { call, warnings } = await connected({ it: { command: process.execPath, args } });
    expect(warnings).toEqual([]);
    expect(await call('it__echo').end).toEqual({ kind: 'completed', output: 'here' });
  },
);

test('over stdio one whose `initialize` names a revision that has none is spoken to in that one [tool.mcp]', async () => {
  const initialize = { protocolVersion: '2026-07-28', capabilities: { tools: {} }, serverInfo: info };
  const args = ['-e', program, JSON.stringify({ initialize, ...revisions['2026-07-28'] }), '-32601'];
  const { call, warnings } = await connected({ it: { command: process.execPath, args } });
  expect(warnings).toEqual([]);
  expect(await call('it__echo').end).toMatchObject({ output: 'here' });
});

test('over stdio the words for one that refuses all are those of its refusal [tool.mcp]', async () => {
  const { warnings } = await connected({ it: { command: process.execPath, args: ['-e', program, '{}', '-32000'] } });
  expect(warnings).toEqual(['the MCP server it responded with an error: no']);
});
