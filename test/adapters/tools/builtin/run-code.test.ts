// Tool `run_code`: the output of scripts, their ends, and that nothing of them is left.
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findProgram } from '../../../../src/adapters/processes/program-path.ts';
import { systemProcesses } from '../../../../src/adapters/processes/system-processes.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { callsOnce, startHarness } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';
import { living, newToken, zombies } from '../../processes/processes.ts';
import { call, named, newFolders } from './folder.ts';

/** A temporary folder of this file's own: it shows every file that a script leaves. */
const own = mkdtempSync(join(tmpdir(), 'run-code-test-'));
process.env['TMPDIR'] = own;
afterAll(() => rmSync(own, { recursive: true, force: true }));

const token = newToken();
const runCode = named(builtinTools({ allowCode: true, termGraceMs: 300 }), 'run_code');
const hasPython = findProgram(['python3', 'python'], process.env['PATH']) !== null;

afterEach(() => {
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

const node = async (code: string, more: object = {}) =>
  call(runCode, { language: 'node', code, ...more }, { roots: [(await newFolders()).root] });

testToolContract('run_code', async () => ({
  tool: runCode,
  good: { language: 'node', code: 'console.log(6 * 7)' },
  bad: [
    { input: { language: 'cobol', code: 'x' }, names: 'language' },
    { input: { language: 'node' }, names: 'code' },
    { input: { language: 'node', code: 'x'.repeat(262_145) }, names: 'at most 262144' },
  ],
  endless: { language: 'node', code: `process.title = '${token}'; for (;;);` },
  roots: [(await newFolders()).root],
}));

test('it exists only where it is allowed [tool.contract]', () => {
  const names = builtinTools({ allowShell: true }).map(({ name }) => name);
  expect(names).not.toContain('run_code');
});

describe('node', () => {
  test('both streams come in their order, with the exit code', async () => {
    expect(await node("console.log('1'); console.error('2'); console.log('3')")).toEqual({
      kind: 'completed',
      output: '1\n2\n3\n[exit code 0]',
    });
    expect(await node('process.exit(3)')).toMatchObject({
      code: 'command_failed',
      message: 'exit code 3',
      effect: 'done',
    });
  });

  test('a script may be CommonJS or an ES module, and imports files of its folder', async () => {
    const read = "console.log(require('node:fs').readFileSync('a.txt', 'utf8'))";
    expect(await node(read)).toMatchObject({ output: 'alpha\n[exit code 0]' });
    const awaited = "import { readFile } from 'node:fs/promises'; console.log(await readFile('b.txt', 'utf8'))";
    expect(await node(awaited, { cwd: 'sub' })).toMatchObject({ output: 'beta\n[exit code 0]' });
  });

  test('an error of the script is reported with its line', async () => {
    const end = await node("const answer = 42;\nthrow new Error('no such luck')");
    expect(end).toMatchObject({ code: 'command_failed', output: expect.stringMatching(/:2\n.*no such luck/s) });
  });

  test('nothing is left of the script, not even when it had to be killed [cancel.clean] [tool.process]', async () => {
    const { root } = await newFolders();
    const files = async () => [...(await readdir(root)), ...(await readdir(own))].sort();
    const before = await files();
    const recorded = recordingContext({ roots: [root] });
    const code = `process.on('SIGTERM', () => {}); process.title = '${token}'; console.log('started'); for (;;);`;
    const end = runCode.run({ language: 'node', code, cwd: '.' }, recorded.context);
    await until(() => recorded.outputs.join('') === 'started\n', { what: 'its output' });
    expect(await files()).toEqual(before);
    recorded.stop.abort();
    expect(await end).toEqual({ kind: 'stopped', output: 'started\n', forced: true });
    expect(await files()).toEqual(before);
  });

  test('it has no input', async () => {
    expect(await node("console.log(require('node:fs').readFileSync(0, 'utf8') === '')")).toMatchObject({
      output: 'true\n[exit code 0]',
    });
  });
});

test('its timeout is what it asks for, ten minutes by default, and an hour at most [tool.timeout]', async () => {
  const { root } = await newFolders();
  const roots = [root];
  for (const [args, ms] of [
    [{}, 600_000],
    [{ timeoutMs: 400 }, 400],
  ] as const) {
    const run = {
      language: 'node',
      code: `process.title = '${token}'; setInterval(() => console.log('on'), 20)`,
      ...args,
    };
    const harness = await startHarness({
      processes: systemProcesses,
      tools: [runCode],
      roots,
      limits: { toolCancelMs: 4_000 }, // the clock advances until the exit of the process is observed
      respond: callsOnce(['run_code', run]),
    });
    await harness.say('words');
    await until(() => harness.recorder.outputs.length > 0, { what: 'its output' });
    await harness.clock.advance(ms - 1);
    expect(harness.recorder.of('tool_timeout')).toEqual([]);
    await harness.clock.advance(1);
    const isOver = () => harness.clock.advance(5).then(() => harness.recorder.of('tool_result').length === 1);
    await until(isOver, { what: 'its result' });
    expect(harness.recorder.of('tool_timeout')).toMatchObject([{ node: harness.callNamed('run_code'), ms }]);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'timed_out', effect: 'unknown' }]);
  }
  const tooLong = runCode.parse({ language: 'node', code: ':', timeoutMs: 3_600_001 });
  expect(tooLong).toMatchObject({ ok: false, message: expect.stringContaining('at most 3600000') });
});

describe('python', () => {
  test.runIf(hasPython)('a script prints, fails, and is terminated [tool.process]', async () => {
    const { root } = await newFolders();
    const python = (code: string) => call(runCode, { language: 'python', code }, { roots: [root] });
    expect(await python("print(6 * 7)\nprint(open('a.txt').read())")).toMatchObject({
      output: '42\nalpha\n[exit code 0]',
    });
    expect(await python('import sys\nsys.exit(4)')).toMatchObject({ message: 'exit code 4' });
    const recorded = recordingContext({ roots: [root] });
    const code = `import os, time\nos.system('sleep ${token} &')\nprint('ready')\ntime.sleep(60)`;
    const end = runCode.run({ language: 'python', code, cwd: '.' }, recorded.context);
    await until(() => recorded.outputs.join('') === 'ready\n', { what: 'its output' });
    recorded.stop.abort();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'ready\n' });
  });

  test('where it is not installed, the failure names it', async () => {
    const { root } = await newFolders();
    const path = process.env['PATH'];
    process.env['PATH'] = root;
    try {
      expect(await call(runCode, { language: 'python', code: 'print(1)' }, { roots: [root] })).toMatchObject({
        kind: 'failed',
        code: 'program_missing',
        effect: 'none',
        message: expect.stringContaining('python'),
      });
    } finally {
      process.env['PATH'] = path;
    }
  });
});
