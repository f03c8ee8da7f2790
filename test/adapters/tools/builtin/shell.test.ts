// Tool `shell`: the output, the end and the processes of a command.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemProcesses } from '../../../../src/adapters/processes/system-processes.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { maxOutputChars } from '../../../../src/core/contracts/tool.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { callsOnce, startHarness } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';
import { living, newToken, programs, zombies } from '../../processes/processes.ts';
import { call, named, newFolders } from './folder.ts';

const token = newToken();
const shell = named(builtinTools({ allowShell: true, termGraceMs: 300 }), 'shell');
const patient = named(builtinTools({ allowShell: true, termGraceMs: 600_000 }), 'shell');

afterEach(() => {
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

const inRoot = async (command: string) => call(shell, { command }, { roots: [(await newFolders()).root] });

testToolContract('shell', async () => ({
  tool: shell,
  good: { command: 'echo hello' },
  bad: [
    { input: {}, names: 'command' },
    { input: { command: 'x'.repeat(40_000) }, names: 'at most 32768' },
    { input: { command: 'a\0b' }, names: 'NUL' },
    { input: { command: ':', cwd: 7 }, names: 'cwd' },
    { input: { command: ':', timeoutMs: 3_600_001 }, names: 'at most 3600000' },
    { input: { command: ':', timeoutMs: 0 }, names: 'timeoutMs' },
  ],
  endless: { command: `sleep ${token}` },
  roots: [(await newFolders()).root],
}));

test.each([
  { command: 'no-such-program --now', effect: 'none' },
  { command: 'mkdir made; no-such-program', effect: 'done' },
  { command: 'echo "x: no-such-program: not found"; exit 127', effect: 'done' },
  { command: 'exit 127', effect: 'done' },
])('the effect of `$command` is $effect [tool.process]', async ({ command, effect }) => {
  expect(await inRoot(command)).toMatchObject({ kind: 'failed', code: 'command_failed', effect });
});

test('the words of a program that has run do not make its effect `none` [tool.process] [history.effect]', async () => {
  const { root } = await newFolders();
  const script = '#!/bin/sh\ntouch made\necho "$0: 3: ./deploy: not found"\nexit 127\n';
  writeFileSync(join(root, 'deploy'), script, { mode: 0o755 });
  expect(await call(shell, { command: './deploy' }, { roots: [root] })).toMatchObject({
    kind: 'failed',
    effect: 'done',
  });
  expect(existsSync(join(root, 'made'))).toBe(true);
});

test('only a tool that owns its processes is declared killable [tool.process]', () => {
  const tools = builtinTools({ allowWrites: true, allowShell: true, allowCode: true });
  expect(tools.filter(({ cancel }) => cancel === 'killable').map(({ name }) => name)).toEqual(['shell', 'run_code']);
});

test('both streams come in their order, with the exit code', async () => {
  expect(await inRoot('echo 1; echo 2 >&2; echo 3; echo 4 >&2')).toEqual({
    kind: 'completed',
    output: '1\n2\n3\n4\n[exit code 0]',
  });
});

test('a command that fails has its exit code, and keeps its output', async () => {
  expect(await inRoot('echo so far; exit 3')).toEqual({
    kind: 'failed',
    code: 'command_failed',
    message: 'exit code 3',
    output: 'so far\n[exit code 3]',
    effect: 'done',
  });
  expect(await inRoot('kill -KILL $$')).toMatchObject({ code: 'command_failed', output: '[ended by SIGKILL]' });
  expect(await inRoot('if')).toMatchObject({ code: 'command_failed', output: expect.stringContaining('yntax error') });
});

test('its timeout is one like any other: reported, counted, and the output so far is kept [tool.timeout]', async () => {
  const { root } = await newFolders();
  const run = { command: `echo so far; sleep ${token}`, timeoutMs: 300 };
  const harness = await startHarness({
    processes: systemProcesses,
    tools: [shell],
    roots: [root],
    limits: { toolCancelMs: 4_000 }, // the clock advances until the exit of the process is observed
    respond: callsOnce(['shell', run]),
  });
  const turn = await harness.say('words');
  await until(() => harness.recorder.outputs.length > 0, { what: 'its output' });
  await harness.clock.advance(300);
  const isOver = () => harness.clock.advance(5).then(() => harness.recorder.of('tool_result').length === 1);
  await until(isOver, { what: 'its result' });
  const { node } = harness.recorder.of('tool_result')[0] ?? {};
  expect(harness.recorder.of('tool_timeout')).toMatchObject([{ node, ms: 300 }]);
  expect(harness.recorder.of('tool_result')).toMatchObject([
    { outcome: 'timed_out', effect: 'unknown', output: 'so far\n' },
  ]);
  await harness.clock.advance(1_000);
  expect(harness.provider.requests.at(-1)?.messages.at(-1)?.content).toMatch(/shell was stopped after \d+ ms/);
  expect(harness.endOf(turn)?.outcome).toBe('completed');
});

test('processes that it leaves in the background are terminated, with a note for the model [tool.process]', async () => {
  const end = await inRoot(`sleep ${token} & echo started`);
  expect(end).toMatchObject({
    kind: 'completed',
    output: expect.stringMatching(/^started\n\[exit code 0\]\n\[1 process/),
  });
});

test('at a terminal the program sees one, and is terminated in the same way [tool.process]', async () => {
  const { root } = await newFolders();
  const end = await call(shell, { command: '[ -t 1 ] && echo seen; exit 2', pty: true }, { roots: [root] });
  expect(end).toMatchObject({ code: 'command_failed', output: 'seen\n[exit code 2]' });
  const recorded = recordingContext({ roots: [root] });
  const input = { command: `exec sh ${programs}/ignores-term.sh ${token}`, cwd: '.', pty: true };
  const stopped = shell.run(input, recorded.context);
  await until(() => recorded.outputs.join('').includes('ready'), { what: 'its output' });
  recorded.stop.abort();
  expect(await stopped).toEqual({ kind: 'stopped', output: 'ready\n', forced: true });
});

test('output over the limit is cut in the middle, and counted [history.bounded]', async () => {
  const end = await inRoot('echo first; yes | head -c 1000000; echo last; exit 1');
  expect(end.output.length).toBeLessThanOrEqual(maxOutputChars);
  expect(end.output).toMatch(/^first\ny\n.*y\nlast\n\[exit code 1\]$/s);
  expect(end.omitted).toBeGreaterThan(900_000);
});

test('the process is recorded before it can be lost, and its output is published while it comes [tool.process]', async () => {
  const { root } = await newFolders();
  const recorded = recordingContext({ roots: [root] });
  const end = patient.run({ command: `echo here; sleep ${token}`, cwd: '.' }, recorded.context);
  await until(() => recorded.outputs.join('') === 'here\n', { what: 'its output' });
  const [started, ...others] = recorded.processes;
  expect(others).toEqual([]);
  expect(living(token)).toContain(started?.group);
  recorded.stop.abort();
  expect(await end).toEqual({ kind: 'stopped', output: 'here\n' });
});

test('one that had to be killed is reported as forced, and keeps its output so far [ladder.call.running] [tool.process]', async () => {
  const { root } = await newFolders();
  const recorded = recordingContext({ roots: [root] });
  const end = shell.run({ command: `exec sh ${programs}/ignores-term.sh ${token}`, cwd: '.' }, recorded.context);
  await until(() => recorded.outputs.join('') === 'ready\n', { what: 'its output' });
  recorded.stop.abort();
  expect(await end).toEqual({ kind: 'stopped', output: 'ready\n', forced: true });
});

test('force kills at once [cancel.idempotent] [tool.process]', async () => {
  const { root } = await newFolders();
  const recorded = recordingContext({ roots: [root] });
  const end = patient.run({ command: `exec sh ${programs}/ignores-term.sh ${token}`, cwd: '.' }, recorded.context);
  await until(() => recorded.outputs.join('') === 'ready\n', { what: 'its output' });
  recorded.stop.abort();
  recorded.kill.abort();
  expect(await end).toMatchObject({ kind: 'stopped', forced: true });
});

test('of four calls one is stopped, and the others keep their results [tool.parallel] [cancel.tool]', async () => {
  const { root } = await newFolders();
  const recorded = recordingContext({ roots: [root] });
  const stopped = shell.run({ command: `sleep ${token}`, cwd: '.' }, recorded.context);
  const others = ['one', 'two', 'three'].map((word) =>
    call(shell, { command: `sleep 0.2; echo ${word}` }, { roots: [root] }),
  );
  await until(() => recorded.processes.length === 1, { what: 'its start' });
  recorded.stop.abort();
  expect(await stopped).toMatchObject({ kind: 'stopped' });
  const outputs = (await Promise.all(others)).map(({ output }) => output.split('\n')[0]);
  expect(outputs).toEqual(['one', 'two', 'three']);
});
