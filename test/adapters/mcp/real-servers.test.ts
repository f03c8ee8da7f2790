// Published servers under a CANCEL: in the middle, twice, forced. After each the process table is empty.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../src/adapters/tools/browser/chromium.ts';
import { living } from '../processes/processes.ts';
import { connected, published } from './mcp.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), `belay-real-${randomUUID()}`));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('memory', () => {
  const memory = (file: string) => ({ ...published('server-memory', file), env: { MEMORY_FILE_PATH: file } });

  test('keeps what it has stored over a restart, and leaves no process [tool.mcp] [cancel.clean]', async () => {
    const file = join(folder(), 'memory.jsonl');
    const first = await connected({ memory: memory(file) });
    const entities = [{ name: 'Ann', entityType: 'person', observations: ['likes rivers'] }];
    expect(await first.call('memory__create_entities', { entities }).end).toMatchObject({ kind: 'completed' });
    await first.mcp.close();
    expect(living(file)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toContain('likes rivers');
    const second = await connected({ memory: memory(file) });
    expect((await second.call('memory__search_nodes', { query: 'rivers' }).end).output).toContain('Ann');
  });

  test('of arguments that do not fit it says which, and nothing is changed [tool.mcp]', async () => {
    const file = join(folder(), 'memory.jsonl');
    const { call } = await connected({ memory: memory(file) });
    const end = await call('memory__create_entities', { entities: [{ name: 'Ann' }] }).end;
    expect(end).toMatchObject({ kind: 'failed', output: expect.stringMatching(/entityType/) });
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').not.toContain('Ann');
  });
});

const playwright = join(dirname(createRequire(import.meta.url).resolve('@playwright/mcp/package.json')), 'cli.js');
const executable = findChromium();

describe.skipIf(executable === null)('playwright', () => {
  /** A site whose second page never ends. */
  async function site() {
    const endless = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      if (request.url === '/endless') {
        response.write('<title>Endless</title>');
        return endless.resolve();
      }
      response.end('<title>Home</title><h1>Welcome</h1>');
    });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, endlessRequested: endless.promise };
  }

  const start = async () => {
    const path = folder();
    const flags = ['--headless', '--isolated', '--no-sandbox', '--executable-path', executable ?? ''];
    const spec = {
      command: process.execPath,
      args: [playwright, ...flags, '--output-dir', path],
      timeoutMs: 0,
      env: { TMPDIR: path },
    };
    return { path, ...(await connected({ web: { ...spec, destructive: 'allow' } })) };
  };

  test('takes a screenshot without its required argument, which has a default: the model gets the image [tool.mcp]', async () => {
    const { call } = await start();
    const { url } = await site();
    expect((await call('web__browser_navigate', { url }).end).output).toContain('Home');
    const end = await call('web__browser_take_screenshot', {}).end;
    expect(end).toMatchObject({ kind: 'completed' });
    expect(end.parts?.map(({ type }) => type)).toContain('image');
  });

  test.each(['once', 'twice', 'forced'])(
    'a navigation without an end, cancelled %s: no browser is left [tool.mcp] [cancel.bounded]',
    async (how) => {
      const { path, mcp, call } = await start();
      const { url, endlessRequested } = await site();
      await call('web__browser_navigate', { url }).end;
      const endless = call('web__browser_navigate', { url: `${url}/endless` });
      await endlessRequested;
      expect(living(path).length, 'the server and its browser').toBeGreaterThan(1);
      endless.cancel();
      if (how === 'twice') endless.cancel();
      if (how === 'forced') endless.skipGrace.abort();
      expect(['stopped', 'completed']).toContain((await endless.end).kind);
      await mcp.close();
      expect(living(path)).toEqual([]);
    },
  );
});

test('resources and prompts of a server are read with tools; a CANCEL ends a read at once [tool.mcp]', async () => {
  const { call } = await connected({ every: published('server-everything', 'stdio') });
  const list = await call('every__list_resources').end;
  expect(list.output).toMatch(/demo:\/\//);
  const uri = /demo:\/\/\S+\.md/.exec(list.output)?.[0] ?? '';
  expect((await call('every__read_resource', { uri }).end).output).toContain(`[resource ${uri}]`);
  expect((await call('every__list_prompts').end).output).toMatch(/args-prompt\(city, state\?\)/);
  const prompt = await call('every__get_prompt', { name: 'args-prompt', arguments: { city: 'Kyiv' } }).end;
  expect(prompt.output).toMatch(/^user:\n.*Kyiv/);
  expect(await call('every__read_resource', { uri: 'demo://nothing' }).end).toMatchObject({
    kind: 'failed',
    effect: 'none',
  });
  const stopped = call('every__list_resources');
  stopped.cancel();
  expect(await stopped.end).toMatchObject({ kind: 'stopped' });
});
