// Servers made with the second major of the SDK, which speak the revision 2026-07-28 and no older one.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { McpServer } from '../../../src/adapters/mcp/server-config.ts';
import { startChild } from '../../support/child.ts';
import { until } from '../../support/until.ts';
import { living, newToken, programs } from '../processes/processes.ts';
import { connected } from './mcp.ts';

interface ModernServer {
  readonly spec: McpServer;
  readonly token: string;
  /** The lines of its own log. */
  log(): string;
}

async function start(kind: 'stdio' | 'http'): Promise<ModernServer> {
  const token = newToken();
  const folder = mkdtempSync(join(tmpdir(), 'belay-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'log');
  const args = [token, `log=${file}`];
  const log = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  const program = join(programs, 'mcp-modern-server.ts');
  if (kind === 'stdio') return { spec: { command: process.execPath, args: [program, ...args] }, token, log };
  const child = startChild('test/children/mcp-modern-server.ts', { args: [...args, 'http'] });
  const [, url = ''] = await child.untilPrinted(/(http:\S+)\n/);
  return { spec: { url }, token, log };
}

describe.each(['stdio', 'http'] as const)('over %s', (kind) => {
  test('its tools are called [tool.mcp]', async () => {
    const { spec } = await start(kind);
    const { call, mcp, warnings } = await connected({ modern: spec });
    expect(warnings).toEqual([]);
    expect(mcp.states()).toMatchObject([{ name: 'modern', phase: 'ready', tools: 4 }]);
    expect(await call('modern__echo', { text: 'hello' }).end).toEqual({ kind: 'completed', output: 'hello' });
  });

  test('what it asks for between two requests of a call is asked of the speaker [tool.mcp]', async () => {
    const { spec } = await start(kind);
    const { call } = await connected({ modern: spec });
    const end = await call('modern__ask', {}, { ask: async () => 'Ann' }).end;
    expect(end).toMatchObject({ kind: 'completed', output: expect.stringMatching(/^answered .*"name":"Ann"/) });
  });

  test('a CANCEL while it asks ends the call at once [tool.mcp] [cancel.bounded]', async () => {
    const { spec } = await start(kind);
    const { call } = await connected({ modern: spec });
    const opened = Promise.withResolvers<void>();
    const ask = () => {
      opened.resolve();
      return new Promise<string>(() => {});
    };
    const asking = call('modern__ask', {}, { ask });
    await opened.promise;
    asking.cancel();
    expect(await asking.end).toEqual({ kind: 'stopped', output: '' });
    expect(await call('modern__echo', { text: 'again' }).end).toMatchObject({ output: 'again' });
  });

  test('a CANCEL reaches its own log, and other calls go on [tool.mcp] [cancel.bounded]', async () => {
    const { spec, log } = await start(kind);
    const { call } = await connected({ modern: spec });
    const waiting = call('modern__wait');
    await until(() => log() === 'wait started\n', { what: 'the call to start' });
    waiting.cancel();
    expect(await waiting.end).toMatchObject({ kind: 'stopped' });
    await until(() => log() === 'wait started\nwait cancelled\n', { what: 'the server to see the cancellation' });
    expect(await call('modern__echo', { text: 'again' }).end).toMatchObject({ output: 'again' });
  });
});

test('tools that it adds later are listed as soon as it says so [tool.mcp]', async () => {
  const { spec } = await start('stdio');
  const { call, mcp } = await connected({ modern: spec });
  await call('modern__grow').end;
  await until(() => mcp.tools().some(({ name }) => name === 'modern__grown'), { what: 'the new tool' });
  expect(await call('modern__grown').end).toMatchObject({ output: 'grown' });
});

test('no process of it is left when it is closed [cancel.clean]', async () => {
  const { spec, token } = await start('stdio');
  const { mcp } = await connected({ modern: spec });
  expect(living(token)).toHaveLength(1);
  await mcp.close();
  expect(living(token)).toEqual([]);
});
