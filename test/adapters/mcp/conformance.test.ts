// MCP's own conformance program against the adapter: each version of it, in each revision that it has scenarios for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { compileCache } from '../../support/compile-cache.ts';
import { scaled } from '../../support/time-scale.ts';
import { playScenario, type ScenarioRequest } from './conformance-client.ts';
import { type ConformanceProgram, conformancePrograms } from './conformance-scenarios.ts';

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

interface ScenarioRun {
  readonly checks: readonly Check[];
  /** What the client has met; empty: nothing. */
  readonly problem: string;
}

const root = join(import.meta.dirname, '..', '..', '..');
const relay = join(root, 'test', 'children', 'mcp-conformance-relay.ts');
/** Scenarios of a program that are played at once: it starts all of a revision together. */
const maxAtOnce = 4;
/** The program measures when the client comes back. On a busy machine that is too late now and then. */
const timedScenario = 'sse-retry';
const maxTimedRuns = 5;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-conformance-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the program to its end. Resolves with what it has printed. */
async function run({ name }: ConformanceProgram, args: readonly string[]): Promise<string> {
  const program = join(root, 'node_modules', name, 'dist', 'index.js');
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...compileCache() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return out + err;
}

/** Plays the scenarios that come on a socket, some at once. The reply is empty, or says what has failed. Returns the path of the socket. */
async function startPlaying(): Promise<string> {
  const path = join(newFolder(), 'socket');
  const waiting: (() => void)[] = [];
  let playing = 0;
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    const request: ScenarioRequest = JSON.parse(await text(socket));
    if (playing >= maxAtOnce) await new Promise<void>((resolve) => void waiting.push(resolve));
    playing++;
    const problem = await playScenario(request).then(
      () => '',
      (error) => String(error),
    );
    playing--;
    waiting.shift()?.();
    socket.end(problem);
  });
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return path;
}

/** Resolves with the run of each scenario. */
async function runScenarios(
  program: ConformanceProgram,
  selection: readonly string[],
): Promise<Readonly<Record<string, ScenarioRun>>> {
  const folder = newFolder();
  const command = `${process.execPath} ${relay} ${await startPlaying()}`;
  const options = ['--command', command, '--output-dir', folder, '--timeout', String(scaled(60_000))];
  const printed = await run(program, ['client', ...options, ...selection]);
  const found = globSync('**/checks.json', { cwd: folder }).map((file): [string, ScenarioRun] => {
    const read = (name: string) => readFileSync(join(folder, dirname(file), name), 'utf8');
    const problem = /Error: .*/.exec(read('stderr.txt'))?.[0] ?? '';
    return [
      dirname(file).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
      { checks: JSON.parse(read('checks.json')), problem },
    ];
  });
  expect(found.length, printed).toBeGreaterThan(0);
  return Object.fromEntries(found);
}

/** Returns what a run lacks: checks that are missing, and checks that have failed. One that is skipped is about what the client does not use. */
function shortcomingsOf(scenario: string, run: ScenarioRun | undefined, expected: number): string[] {
  if (!run) return [`${scenario} was not run`];
  const { checks, problem } = run;
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const succeeded = checks.filter(({ status }) => status === 'SUCCESS').length;
  return [
    ...bad.map(({ id, status, errorMessage }) => `${scenario}: ${status} ${id}: ${errorMessage}`),
    ...(succeeded < expected ? [`${scenario}: ${succeeded} checks of ${expected}; ${problem}`] : []),
  ];
}

describe.each(conformancePrograms)('$name', (program) => {
  const { checks, leftOut } = program;

  test('lists the scenarios of the table and those that are left out by name, and no other', async () => {
    const printed = await run(program, ['list', '--client']);
    const listed = [...printed.matchAll(/^ +- (\S+) \[(.+)\]$/gm)].flatMap(([, scenario = '', revisions = '']) =>
      Object.hasOwn(leftOut, scenario) ? [scenario] : revisions.split(',').map((revision) => `${scenario} ${revision}`),
    );
    const inTable = Object.entries(checks).flatMap(([revision, counts]) =>
      Object.keys(counts).map((scenario) => `${scenario} ${revision}`),
    );
    expect(listed.toSorted()).toEqual([...inTable, ...Object.keys(leftOut)].toSorted());
  });

  test.each(Object.keys(checks))(
    '%s: each scenario has its checks, and each of them succeeds [tool.mcp]',
    { timeout: scaled(120_000) },
    async (revision) => {
      const counts = checks[revision] ?? {};
      const ran = await runScenarios(program, ['--suite', 'all', '--spec-version', revision]);
      const shortcomings = Object.entries(counts).flatMap(([scenario, expected]) =>
        scenario === timedScenario ? [] : shortcomingsOf(scenario, ran[scenario], expected),
      );
      expect(shortcomings).toEqual([]);
      const unknown = Object.keys(ran).filter((one) => !Object.hasOwn(counts, one) && !Object.hasOwn(leftOut, one));
      expect(unknown).toEqual([]);
    },
  );

  test.runIf(Object.values(checks).some((counts) => timedScenario in counts))(
    `${timedScenario} comes back when the server wants it [tool.mcp]`,
    { timeout: scaled(120_000) },
    async () => {
      const expected = checks['2025-11-25']?.[timedScenario] ?? Number.POSITIVE_INFINITY;
      let shortcomings: string[] = [];
      for (let runs = 0; runs < maxTimedRuns; runs++) {
        const ran = await runScenarios(program, ['--scenario', timedScenario]);
        shortcomings = shortcomingsOf(timedScenario, ran[timedScenario], expected);
        if (shortcomings.length === 0 || !shortcomings.some((one) => one.includes(' late '))) break;
      }
      expect(shortcomings).toEqual([]);
    },
  );
});
