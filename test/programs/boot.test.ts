// The modules that `npm start` loads before it listens: adapters that are not configured are not among them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';

const recorder = join(import.meta.dirname, '..', 'children', 'record-modules.ts');

test.each([
  ['with a key', { OPENAI_API_KEY: 'test-key' }],
  ['that a script serves', {}],
])('a start %s, without MCP servers and outside agents, loads none of their clients', async (_what, key) => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-boot-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'modules');
  const serve = startChild('src/programs/serve.ts', {
    args: ['--port', '0', '--store', 'memory'],
    cwd: folder,
    env: { ...key, NODE_OPTIONS: `--import ${recorder}`, RECORD_MODULES: modules },
  });
  await serve.untilPrinted(/listens at (\S+)/, 30_000);
  const urls = readFileSync(modules, 'utf8').split('\n');
  const loaded = [...new Set(urls)].filter((url) => /\/(src|machines|node_modules)\//.test(url));
  expect(loaded.filter((url) => url.endsWith('/src/programs/serve.ts'))).toHaveLength(1);
  const lateClients = /\/node_modules\/(openai|ajv|zod-to-json-schema|@modelcontextprotocol|@agentclientprotocol)\//;
  expect(loaded.filter((url) => lateClients.test(url))).toEqual([]);
  expect(
    loaded.filter((url) => /worker-(fleet|channel|program)|serve-workers|remote-log|buses\/|cluster\//.test(url)),
  ).toEqual([]);
  // it loads Node's own client, too: a tenth of the CPU of a start
  expect(loaded.filter((url) => url.endsWith('/transport/http-fetch.ts'))).toEqual([]);
});
