// Commands that end by themselves, or never start.
import { getEventListeners } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { passedEnvironment } from '../../../src/adapters/processes/environment.ts';
import { systemTable } from '../../../src/adapters/processes/process-family.ts';
import { runProcess } from '../../../src/adapters/processes/started-command.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { until } from '../../support/until.ts';
import { endAll, living, newToken, programs, runProgram, runShell, zombies } from './processes.ts';

const token = newToken();

afterEach(async () => {
  await endAll();
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

test('its exit code and both streams are returned', async () => {
  const { end } = runShell(['-c', 'echo out; echo err >&2; exit 3']);
  const result = await end;
  expect(result).toMatchObject({ kind: 'exited', exitCode: 3, exitSignal: null, leftBehind: 0, omitted: 0 });
  expect(result).toHaveProperty('output', expect.stringContaining('out\n'));
  expect(result).toHaveProperty('output', expect.stringContaining('err\n'));
});

test('a signal that ends it is named', async () => {
  expect(await runShell(['-c', 'kill -SEGV $$']).end).toMatchObject({
    kind: 'exited',
    exitCode: null,
    exitSignal: 'SIGSEGV',
  });
});

test('its stdin is closed: a command that reads it does not wait', async () => {
  expect(await runShell(['-c', 'cat; echo done']).end).toMatchObject({ kind: 'exited', exitCode: 0, output: 'done\n' });
});

test('it leads a group of its own, and its environment bears the marker and no secret of the host [tool.process]', async () => {
  process.env['BELAY_TEST_SECRET'] = 'secret';
  try {
    const { end, started } = runShell(['-c', 'env; echo "pid $$"; ps -o pgid= -p $$'], { marker: 'call_abc' });
    const { output } = (await end) as { output: string };
    expect(output).toContain('BELAY_NODE=call_abc\n');
    expect(output).not.toContain('secret');
    expect(output).toContain(`pid ${started().group}\n`);
    expect(output.trim().split(/\s+/).at(-1)).toBe(String(started().group));
  } finally {
    delete process.env['BELAY_TEST_SECRET'];
  }
});

test('processes that it leaves running are terminated, whether they obey TERM or not, before the call has its result [tool.process]', async () => {
  const { end } = await runProgram('background.sh', token);
  expect(await end).toMatchObject({ kind: 'exited', exitCode: 0, leftBehind: 3, output: 'left\n' });
});

test('so is a single one in its group that has removed its marker [tool.process]', async () => {
  const { end } = runShell(['-c', `env -i /bin/sleep ${token} & sleep 0.1; echo left`]);
  expect(await end).toMatchObject({ kind: 'exited', exitCode: 0, leftBehind: 1, output: 'left\n' });
});

test.runIf(process.platform === 'linux')(
  'so is a daemon that has left group, session and parent [tool.process]',
  async () => {
    const { end } = runShell([`${programs}/double-fork.sh`, token]);
    expect(await end).toMatchObject({ kind: 'exited', exitCode: 0, leftBehind: 1, output: 'left\n' });
  },
);

test('of long output the head and the tail are kept, and the missing characters are counted [tool.process] [history.bounded]', async () => {
  const before = process.memoryUsage.rss();
  const running = runShell(['-c', 'echo first; yes | head -c 100000000; echo last'], { maxOutputChars: 2_000 });
  const end = await running.end;
  const grown = process.memoryUsage.rss() - before;
  const { output, omitted } = end as { output: string; omitted: number };
  expect(output).toMatch(/^first\ny\n.*y\nlast\n$/s);
  expect(output.length).toBeLessThanOrEqual(2_000);
  expect(output).toContain(`${omitted} characters omitted`);
  const note = `\n[… ${omitted} characters omitted …]\n`;
  expect(output.length - note.length + omitted).toBe(100_000_011);
  expect(grown).toBeLessThan(100_000_000);
  expect(running.printed()).toMatch(/y\n\[… the rest is not shown live …\]\n$/);
  expect(running.printed().length).toBe(262_144 + '[… the rest is not shown live …]\n'.length);
});

test('a flood delays neither others nor the stop [tool.process] [cancel.bounded]', async () => {
  const running = await runProgram('flood.sh', token);
  await until(() => running.printed().length >= 262_144, { what: 'more than is shown' });
  let turns = 0;
  const other = systemSources.clock;
  await new Promise<void>((resolve) => {
    const turn = () => (++turns < 20 ? void other.after(1, turn) : resolve());
    turn();
  });
  running.stop.abort();
  expect(await running.end).toMatchObject({ kind: 'stopped' });
});

test('a character that arrives in two pieces stays whole', async () => {
  const { end } = runShell(['-c', "printf '\\303'; sleep 0.1; printf '\\244'"]);
  expect(await end).toMatchObject({ output: 'ä' });
});

test('nothing starts after a signal that has fired [cancel.fence] [tool.signal]', async () => {
  const stop = new AbortController();
  stop.abort();
  let started = false;
  const { end } = runShell(['-c', `sleep ${token}`], { signal: stop.signal, onStarted: () => (started = true) });
  expect(await end).toEqual({ kind: 'stopped', output: '', omitted: 0, forced: false });
  expect(started).toBe(false);
});

test('a signal right after the start stops it, however soon it fires [cancel.fence]', async () => {
  for (let steps = 0; steps < 8; steps++) {
    const { stop, end } = runShell(['-c', `sleep ${token}`]);
    for (let i = 0; i < steps; i++) await null;
    stop.abort();
    expect(await end).toMatchObject({ kind: 'stopped' });
  }
});

test('a command that completed just before the signal stays completed [cancel.boundaries]', async () => {
  const running = runShell(['-c', 'exit 0']);
  for (let i = 0; i < 5; i++) await null; // it starts without a turn of the event loop, and none comes now that could reap it
  const { group } = running.started();
  const giveUp = performance.now() + 5_000;
  while (systemTable.read(group)?.state !== 'zombie' && performance.now() < giveUp);
  running.stop.abort();
  expect(await running.end).toMatchObject({ kind: 'exited', exitCode: 0 });
});

test.each([
  ['a file that is not there', { file: '/nowhere/at/all' }, 'ENOENT'],
  ['a folder that is not there', { cwd: '/nowhere/at/all' }, 'ENOENT'],
  ['a file that cannot be run', { file: '/etc/passwd' }, 'EACCES'],
  ['an argument that is too long', { args: ['-c', `: ${'x'.repeat(3_000_000)}`] }, 'E2BIG'],
  ['an argument with a NUL', { args: ['-c', ': \0'] }, 'null bytes'],
])('%s is a failed start with a sentence [tool.process]', async (_, wrong, named) => {
  const { signal } = new AbortController();
  const command = {
    file: '/bin/sh',
    args: ['-c', ':'],
    cwd: '/',
    environment: passedEnvironment(),
    marker: 'call_x',
    ...wrong,
  };
  const end = await runProcess(command, {
    signal,
    kill: signal,
    clock: systemSources.clock,
    termGraceMs: 100,
    maxOutputChars: 1_000,
    onOutput: () => expect.unreachable(),
    onStarted: () => expect.unreachable(),
  });
  expect(end).toMatchObject({ kind: 'failed', message: expect.stringContaining(named) });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a command that cannot be recorded does not run on', async () => {
  const { end } = runShell(['-c', `sleep ${token}`], {
    onStarted: () => {
      throw new Error('the journal is closed');
    },
  });
  await expect(end).rejects.toThrow('the journal is closed');
});
