// Checks of the tool contract: a tool that keeps its declaration passes, and each false declaration fails its check.
import { spawn } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Tool, ToolContext, ToolEnd } from '../../src/core/contracts/tool.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { contractChecks } from '../../src/testing/contract-checks.ts';
import { type CheckName, ContractBroken } from '../../src/testing/contract-report.ts';
import type { ContractCase } from '../../src/testing/contract-run.ts';
import { toolContract as checkTool } from '../../src/testing/tool-contract.ts';
import { newFolders } from '../adapters/tools/builtin/folder.ts';
import { testToolContract } from '../contract/tool.ts';

const wait = ({ signal }: ToolContext) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
const stopped: ToolEnd = { kind: 'stopped', output: '' };

const honest = defineTool({
  name: 'waits',
  description: 'Waits until it is stopped, where its mode is `wait`.',
  input: z.object({ mode: z.enum(['answer', 'wait']), times: z.int().max(3).default(1) }),
  access: ({ mode }, { session }) => ({ scope: 'session', name: `${session} ${mode}` }),
  cancel: 'abortable',
  effect: 'none',
  async run({ mode, times }, context) {
    if (context.signal.aborted) return stopped;
    context.output('working');
    if (mode === 'answer') return 'done '.repeat(times);
    await wait(context);
    return { kind: 'stopped', output: 'waited' };
  },
});

const commits = defineTool({
  name: 'commits',
  description: 'Writes a file in a region of its own.',
  input: z.object({ name: z.string() }),
  access: 'exclusive',
  cancel: 'shielded',
  shieldMaxMs: 200,
  effect: 'some',
  supersedes: ({ name }) => name,
  approval: ({ name }) => ({ text: `May it write ${name}?` }),
  cleanup: async () => {},
  async run({ name }, { signal, shield, roots: [root = ''] }) {
    if (signal.aborted) return stopped;
    await shield(() => writeFile(join(root, name), 'text'));
    return 'written';
  },
});

const caseOf = (root: string): ContractCase => ({
  good: { mode: 'answer' },
  bad: [
    { input: {}, names: 'mode' },
    { input: { mode: 'answer', times: 9 }, names: 'at most 3' },
  ],
  endless: { mode: 'wait' },
  stopMs: 300,
  killMs: 150,
  completeMs: 700,
  roots: [root],
});
const commitCase = (root: string): ContractCase => ({ good: { name: 'new.txt' }, roots: [root], stopMs: 300 });

testToolContract('a tool of a few lines', async () => ({
  tool: honest,
  ...caseOf((await newFolders()).root),
  stopMs: 5_000,
}));
testToolContract('a tool with all its parts', async () => ({
  tool: commits,
  ...commitCase((await newFolders()).root),
}));

test('the report lists the checks that passed, and those that had nothing to try [tool.contract]', async () => {
  const report = await checkTool(honest, async () => caseOf((await newFolders()).root));
  expect(report).toEqual({
    tool: 'waits',
    kept: ['declaration', 'arguments', 'key', 'completes', 'fired', 'early', 'endless'],
    broken: [],
    skipped: [
      { check: 'forced', why: 'it is not declared killable' },
      { check: 'shield', why: 'it is not declared shielded' },
    ],
  });
});

test('all that is not true is thrown in one error [tool.contract]', async () => {
  const { root } = await newFolders();
  const untrue = { ...honest, run: async () => 'done' };
  const thrown = await checkTool(untrue, caseOf(root)).catch((error: unknown) => error);
  if (!(thrown instanceof ContractBroken)) throw new Error('it was not thrown');
  expect(thrown.report.broken.map(({ check }) => check)).toEqual(['fired', 'endless']);
  expect(thrown.message).toMatch(/`waits` does not keep its contract\.\n- fired: .*\n- endless: /);
});

const running = (run: (context: ToolContext) => Promise<ToolEnd | string>): Partial<Tool> => ({
  run: async (_, context) => (context.signal.aborted ? stopped : run(context)),
});
/** Waits by a timer that the recording clock does not count. */
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sleep = (...args: Parameters<typeof spawn>) => {
  const child = spawn(...args);
  onTestFinished(() => void child.kill('SIGKILL'));
};

/** A change of `honest`, the check that fails, and its message. */
const untrueChanges: readonly (readonly [string, Partial<Tool>, CheckName, RegExp])[] = [
  ['has no cancel contract', { cancel: undefined as never }, 'declaration', /cancel/],
  ['has a supersession key that is no text', { supersedes: () => 7 as never }, 'key', /supersedes/],
  ['has an approval without a question', { approval: () => ({}) as never }, 'key', /approval/],
  [
    'returns another key each time',
    { access: () => ({ scope: 'host', name: String(performance.now()) }) },
    'key',
    /each time/,
  ],
  ['does not name the field', { parse: () => ({ ok: false, message: 'wrong' }) }, 'arguments', /refused/],
  ['accepts everything', { parse: (value) => ({ ok: true, input: value }) }, 'arguments', /it accepts/],
  ['fails', running(async () => ({ kind: 'failed', output: 'no' })), 'completes', /ends as failed/],
  ['never ends', running(() => new Promise(() => {})), 'completes', /has not ended/],
  [
    'has output after its end',
    running(async ({ output }) => {
      setTimeout(() => output('one more thing'), 5);
      return 'done';
    }),
    'completes',
    /after its end/,
  ],
  [
    'leaves a listener',
    running(async ({ signal }) => {
      signal.addEventListener('abort', () => {});
      return 'done';
    }),
    'completes',
    /listener/,
  ],
  [
    'leaves a timer',
    running(async ({ clock }) => {
      clock.after(60_000, () => {});
      return 'done';
    }),
    'completes',
    /timer/,
  ],
  [
    'leaves a child running',
    running(async () => {
      sleep('sleep', ['60'], { stdio: 'ignore' });
      return 'done';
    }),
    'completes',
    /processes running/,
  ],
  [
    'leaves a process running that is no child any more',
    running(async ({ call }) => {
      sleep('sh', ['-c', 'setsid sleep 2 & sleep 0.01'], {
        stdio: 'ignore',
        env: { ...process.env, BELAY_NODE: call },
      });
      await pass(200);
      return 'done';
    }),
    'completes',
    /processes running/,
  ],
  [
    'changes a file that it declares only to read',
    running(async ({ roots: [root = ''] }) => {
      await appendFile(join(root, 'a.txt'), '!');
      return 'done';
    }),
    'completes',
    /has changed .*a\.txt/,
  ],
  ['runs after a signal that has fired', { run: async () => 'done' }, 'fired', /signal had fired/],
  ['ignores its signal', running(() => new Promise(() => {})), 'early', /has not ended/],
  [
    'ends as completed though it was stopped',
    running((context) => wait(context).then(() => 'done')),
    'endless',
    /ends as completed/,
  ],
  ['is not endless', running(async () => 'done'), 'endless', /ended before/],
  ['has a cleanup that throws', { cleanup: () => Promise.reject(new Error('no broom')) }, 'endless', /no broom/],
  ['has a cleanup without end', { cleanup: () => new Promise(() => {}) }, 'endless', /cleanup has not ended/],
  [
    'is declared killable, and owns nothing to kill',
    { cancel: 'killable' },
    'forced',
    /neither listens to `kill` nor owns a process/,
  ],
  [
    'does not end soon after `kill`',
    {
      cancel: 'killable',
      ...running(async (context) => {
        context.kill.addEventListener('abort', () => {}, { once: true });
        await wait(context);
        await pass(250);
        return stopped;
      }),
    },
    'forced',
    /has not ended 150 ms after it was to be killed/,
  ],
  [
    'shields though it is not declared shielded',
    running(({ shield }) => shield(async () => 'done')),
    'completes',
    /not declared shielded/,
  ],
];

test.each(untrueChanges)('a tool that %s fails the check [tool.contract]', async (_, change, check, message) => {
  const { root } = await newFolders();
  await expect(contractChecks[check]({ ...honest, ...change }, caseOf(root))).rejects.toThrow(message);
});

test.each<[string, Partial<Tool>]>([
  [
    'joins `kill` with its signal',
    running(async ({ signal, kill }) => {
      const either = AbortSignal.any([signal, kill]);
      await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
      return stopped;
    }),
  ],
  [
    'owns a process that its signal ends',
    running(async (context) => {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      await wait(context);
      child.kill('SIGKILL');
      await gone;
      return stopped;
    }),
  ],
])('a killable tool that %s keeps its contract [tool.contract]', async (_, parts) => {
  const theCase: ContractCase = { good: { mode: 'answer' }, endless: { mode: 'wait' }, killMs: 5_000 };
  await contractChecks.forced({ ...honest, cancel: 'killable', ...parts }, theCase);
});

const longer = (ms: number): Tool => ({
  ...commits,
  run: (_, { shield }) => shield(() => pass(ms)).then(() => 'done'),
});

test.each<[string, Tool, RegExp]>([
  ['shields longer than it has declared', longer(400), /region took \d+ ms; its shieldMaxMs is 200/],
  ['is declared shielded and never is', { ...commits, run: async () => 'done' }, /starts no region/],
])('a tool that %s fails the check [tool.contract] [cancel.shield]', async (_, tool, message) => {
  const { root } = await newFolders();
  await expect(contractChecks.shield(tool, commitCase(root))).rejects.toThrow(message);
});

test('an image without bytes is no end of a call, and is found [model.parts]', async () => {
  const blind = defineTool({
    name: 'blind',
    description: 'Shows nothing.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: async (_, { signal }) =>
      signal.aborted ? stopped : ({ kind: 'completed', output: '', parts: [{ type: 'image' }] } as unknown as ToolEnd),
  });
  await expect(checkTool(blind, { good: {} })).rejects.toThrow(/parts\[0\]\.data/);
});
