// Faults that real servers showed, each with a server made by the official SDK: none of them costs more than its own call.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { scaled } from '../../support/time-scale.ts';
import { until } from '../../support/until.ts';
import { connected, faulty } from './mcp.ts';

test('an argument that is required, and has a default, may be left out: the server fills it in [tool.mcp]', async () => {
  const { call } = await connected({ f: faulty().spec });
  expect(await call('f__screenshot').end).toEqual({ kind: 'completed', output: 'a screenshot as png' });
});

test('a result over the limit fails its call alone; the server lives on with its other calls [tool.mcp] [history.bounded]', async () => {
  const server = faulty();
  const { call } = await connected({ f: server.spec });
  const before = server.pids();
  const [end, sibling] = await Promise.all([call('f__large').end, call('f__screenshot').end]);
  expect(end).toMatchObject({ kind: 'failed', code: 'mcp_failed' });
  expect(end.message).toMatch(/^The MCP server f sent a message of 50000\d\d bytes; the limit is 4194304 bytes\.$/);
  expect(sibling).toMatchObject({ kind: 'completed' });
  expect(await call('f__screenshot').end).toMatchObject({ kind: 'completed' });
  expect(server.pids()).toEqual(before);
});

test('structured content is read beside text, and once where the text repeats it [tool.mcp]', async () => {
  const { call } = await connected({ f: faulty().spec });
  expect(await call('f__structured').end).toMatchObject({ output: 'It is mild.\n{"degrees":21}' });
  expect(await call('f__structured_twice').end).toMatchObject({ output: '{\n  "degrees": 21\n}' });
  expect(await call('f__structured_words').end).toMatchObject({ output: 'It is 21 degrees.' });
});

test('a burst of progress does not cost the server its connection [tool.mcp]', async () => {
  const server = faulty();
  const { call } = await connected({ f: server.spec });
  const before = server.pids();
  expect(await call('f__burst').end).toEqual({ kind: 'completed', output: 'copied 5000 files' });
  expect(server.pids()).toEqual(before);
});

test('of a crash the words of its error are shown, and not the end of its stack [tool.mcp]', async () => {
  const { call } = await connected({ f: faulty().spec });
  const { message } = await call('f__crash').end;
  expect(message).toContain('saying: Error: there is no token: set TRACKER_TOKEN');
  expect(message).not.toMatch(/\n\s+at |Node\.js v/);
});

test('certificates and proxies of the environment reach a server, a password in them does not [tool.mcp] [access.secrets]', async () => {
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/company.pem');
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.example.org:8080');
  vi.stubEnv('https_proxy', 'http://ann:secret@proxy.example.org:8080');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { call } = await connected({ f: faulty().spec });
  const output = async (name: string) => (await call('f__environment', { name }).end).output;
  expect(await output('NODE_EXTRA_CA_CERTS')).toBe('/etc/ssl/company.pem');
  expect(await output('HTTPS_PROXY')).toBe('http://proxy.example.org:8080');
  expect(await output('https_proxy')).toBe('unset');
});

test('a server that fails is reported on standard error, where nobody else asks for it [tool.mcp]', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => void printed.mockRestore());
  const mcp = await connectMcpServers({ servers: { none: { command: '/nowhere/server' } }, ...systemSources });
  onTestFinished(() => mcp.close());
  expect(printed.mock.calls).toEqual([[expect.stringMatching(/^belay: the MCP server none did not start: .*ENOENT/)]]);
});

test('one that hangs does not delay the others; its tools are used as soon as it lists them [tool.mcp]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const opened = join(folder, 'opened');
  const slow = faulty(`until=${opened}`);
  const readyMs = scaled(1_500); // the good one starts in time on a slow machine, too
  const warnings: string[] = [];
  const servers = { slow: slow.spec, good: faulty().spec };
  const mcp = await connectMcpServers({
    servers,
    ...systemSources,
    readyMs,
    warn: (message) => void warnings.push(message),
  });
  onTestFinished(() => mcp.close());
  expect(mcp.states()).toMatchObject([
    { name: 'slow', phase: 'starting', tools: 0, problem: null },
    { name: 'good', phase: 'ready' },
  ]);
  expect(warnings).toEqual([
    `the MCP server slow has not listed its tools within ${readyMs} ms: they are used as soon as it has`,
  ]);
  const names = () => mcp.tools().map(({ name }) => name);
  expect(names()).toContain('good__screenshot');
  expect(names()).not.toContain('slow__screenshot');
  writeFileSync(opened, '');
  await until(() => names().includes('slow__screenshot'), { what: 'the tools of the slow server' });
});

test('one that never lists its tools leaves no process when the servers are closed [cancel.clean]', async () => {
  const hanging = faulty('until=/nowhere/file');
  const mcp = await connectMcpServers({ servers: { h: hanging.spec }, ...systemSources, readyMs: 50, warn: () => {} });
  expect(hanging.pids()).toHaveLength(1);
  await mcp.close();
  expect(hanging.pids()).toEqual([]);
});
