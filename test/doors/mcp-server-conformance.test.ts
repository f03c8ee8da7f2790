// MCP's own conformance program against the door, in both revisions: every scenario that needs no tools, prompts or resources of fixed names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serveBelay } from '../support/belay.ts';
import { compileCache } from '../support/compile-cache.ts';
import { useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';

const endpoint = useEndpoint();
const program = join(import.meta.dirname, '..', '..', 'node_modules', 'mcp-conformance', 'dist', 'index.js');

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** By revision and scenario: how many checks succeed, at least. */
const played: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '2025-11-25': {
    'server-initialize': 3,
    'server-session-lifecycle': 3,
    ping: 2,
    'tools-list': 3,
    'server-sse-multiple-streams': 2,
    'resources-list': 2,
    'dns-rebinding-protection': 2,
  },
  '2026-07-28': {
    'server-stateless': 24,
    'tools-list': 3,
    'server-sse-multiple-streams': 2,
    'resources-list': 2,
    'sep-2164-resource-not-found': 4,
    'dns-rebinding-protection': 2,
    caching: 7,
    'http-header-validation': 14,
    'input-required-result-unsupported-methods': 2,
  },
};

/** Checks of these scenarios that want a tool of a fixed name, or prompts. */
const leftOut = [
  'sep-2549-prompts-list-caching-hints',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
];

/** Runs all scenarios of a revision. Resolves with the checks of each. */
async function runScenarios(url: string, revision: string): Promise<Readonly<Record<string, readonly Check[]>>> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-mcp-server-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const choice = ['--suite', 'all', '--spec-version', revision, '--timeout', String(scaled(60_000))];
  const child = spawn(process.execPath, [program, 'server', '--url', url, '-o', folder, ...choice], {
    env: { PATH: process.env['PATH'], ...compileCache() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const found = globSync('**/checks.json', { cwd: folder }).map((file): [string, readonly Check[]] => [
    dirname(file).replace(/^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/, '$1'),
    JSON.parse(readFileSync(join(folder, file), 'utf8')),
  ]);
  return Object.fromEntries(found);
}

test('each scenario has its checks, and each of them succeeds [doors.mcp]', { timeout: scaled(120_000) }, async () => {
  const config = { tokens: {}, key: false, doors: [{ door: 'mcp' }] };
  const { url } = await serveBelay(endpoint, { config });
  const address = url.replace('ws://', 'http://').replace(/\/belay$/, '/mcp');
  for (const [revision, counts] of Object.entries(played)) {
    const ran = await runScenarios(address, revision);
    for (const [scenario, count] of Object.entries(counts)) {
      const checks = ran[scenario] ?? [];
      const bad = checks.filter(({ id, status }) => /FAILURE|WARNING/.test(status) && !leftOut.includes(id));
      expect(bad, `${revision} ${scenario}`).toEqual([]);
      const succeeded = checks.filter(({ status }) => status === 'SUCCESS').length;
      expect(succeeded, `checks of ${revision} ${scenario}`).toBeGreaterThanOrEqual(count);
    }
  }
});
