// Terminates real processes: TERM, grace, KILL, and nothing is left.
import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { createCountedClock } from '../../../src/testing/counted-clock.ts';
import { until } from '../../support/until.ts';
import { endAll, isSuspended, living, newToken, programs, runProgram, runShell, zombies } from './processes.ts';

const token = newToken();
/** Longer than any test: what ends within it has ended by itself. */
const never = 600_000;

afterEach(async () => {
  await endAll();
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

test('a process that handles TERM has its grace, to clean up with the processes that it needs [ladder.call.running] [tool.process]', async () => {
  const { stop, end } = await runProgram('polite.sh', token, { termGraceMs: never });
  stop.abort();
  expect(await end).toMatchObject({ kind: 'stopped', forced: false, output: expect.stringMatching(/cleaned up\n$/) });
});

test('one that ignores TERM is killed after the grace, which is reported [ladder.call.running] [cancel.bounded]', async () => {
  const { stop, end } = await runProgram('ignores-term.sh', token);
  expect(living(token)).not.toEqual([]);
  stop.abort();
  expect(await end).toMatchObject({ kind: 'stopped', forced: true, output: 'ready\n' });
});

test('force skips the grace [cancel.idempotent] [tool.process]', async () => {
  const { stop, kill, end } = await runProgram('ignores-term.sh', token, { termGraceMs: never });
  stop.abort();
  kill.abort();
  expect(await end).toMatchObject({ kind: 'stopped', forced: true });
});

test('force from the start sends no TERM [tool.process]', async () => {
  const { stop, kill, end } = await runProgram('polite.sh', token, { termGraceMs: never });
  kill.abort();
  stop.abort();
  expect(await end).toMatchObject({ kind: 'stopped', forced: true, output: 'ready\n' });
});

test('children in its group are stopped with it [tool.process]', async () => {
  const { stop, end } = await runProgram('forks.sh', token, { termGraceMs: never });
  await until(() => living(token).length >= 4, { what: 'all of them' });
  stop.abort();
  expect(await end).toMatchObject({ kind: 'stopped', forced: false });
});

test.runIf(process.platform === 'linux')(
  'a grandchild that ignores TERM in a session of its own is found by its marker [tool.process] [cancel.bounded]',
  async () => {
    const { stop, end } = await runProgram('leaves-group.sh', token);
    stop.abort();
    expect(await end).toMatchObject({ kind: 'stopped', forced: true });
  },
);

test.runIf(process.platform === 'linux')(
  'a child that has left marker, group and session is found by its parent [tool.process]',
  async () => {
    const { stop, end } = await runProgram('removes-marker.sh', token, { termGraceMs: never });
    stop.abort();
    expect(await end).toMatchObject({ kind: 'stopped', forced: false });
  },
);

test('a suspended process is terminated too [tool.process]', async () => {
  const running = runShell(['-c', `kill -STOP $$; sleep ${token}`]);
  await until(() => isSuspended(token), { what: 'the process to be suspended' });
  running.stop.abort();
  expect(await running.end).toMatchObject({ kind: 'stopped', forced: true });
});

test('no listener and no timer is left [cancel.clean]', async () => {
  const clock = createCountedClock();
  for (const program of ['polite.sh', 'ignores-term.sh']) {
    const { stop, kill, end } = await runProgram(program, token, { clock });
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort();
    await end;
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(getEventListeners(kill.signal, 'abort')).toEqual([]);
    expect(clock.pending).toBe(0);
  }
});

test('a host does not exit before its processes are terminated, though no timer and no child keeps it alive [ops.shutdown]', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(programs, 'stopping-host.ts'),
    join(programs, process.platform === 'linux' ? 'leaves-group.sh' : 'ignores-term.sh'),
    token,
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'stopped', forced: true });
});
