// Commands at a terminal: their input and output, and their termination.
import { readdirSync, readlinkSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { endAll, living, newToken, programs, runShell, zombies } from './processes.ts';

const token = newToken();
const terminal = { columns: 90, rows: 30 };

afterEach(async () => {
  await endAll();
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
  await until(() => terminals() === 0, { what: 'the terminals to be closed' });
});

/** Ends of terminals that this process holds. */
function terminals(): number {
  if (process.platform !== 'linux') return 0;
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link === '/dev/ptmx' || link === '/dev/pts/ptmx').length;
}

const sees = '[ -t 1 ] && [ -t 2 ] && echo terminal; [ -t 0 ] || echo no input; stty size </dev/tty; echo TERM $TERM';

test('it prints to a terminal of its own session, without input, and lines end as in a pipe [tool.process]', async () => {
  const { end } = runShell(['-c', sees], { terminal });
  expect(await end).toEqual({
    kind: 'exited',
    output: 'terminal\nno input\n30 90\nTERM dumb\n',
    omitted: 0,
    exitCode: 0,
    exitSignal: null,
    leftBehind: 0,
  });
});

test('the process that is recorded is the command itself, and bears the marker [tool.process]', async () => {
  const running = runShell(['-c', 'echo "$$ $BELAY_NODE"'], { terminal, marker: 'call_terminal' });
  expect(await running.end).toMatchObject({ output: `${running.started().group} call_terminal\n` });
});

test('one that ignores TERM is killed, with the processes that have left its group and its session [cancel.bounded] [tool.process]', async () => {
  const command = `setsid sh ${programs}/ignores-term.sh ${token} & trap '' TERM HUP; echo up; sleep ${token}; sleep ${token}`;
  const running = runShell(['-c', command], { terminal });
  await until(() => running.printed().includes('ready') && running.printed().includes('up'), { what: 'both' });
  running.stop.abort();
  expect(await running.end).toMatchObject({ kind: 'stopped', forced: true });
});

test('processes that it leaves in the background are terminated with it [tool.process]', async () => {
  const { end } = runShell(['-c', `trap '' HUP; sleep ${token} & echo left`], { terminal });
  expect(await end).toMatchObject({ kind: 'exited', exitCode: 0, leftBehind: 1, output: 'left\n' });
});

test('nothing starts after a signal that fires while the terminal is opened [cancel.fence]', async () => {
  const running = runShell(['-c', `sleep ${token}`], { terminal });
  running.stop.abort();
  expect(await running.end).toEqual({ kind: 'stopped', output: '', omitted: 0, forced: false });
  expect(() => running.started()).toThrow('has not started');
});

test('a flood is cut, and does not delay a stop [cancel.bounded] [history.bounded]', async () => {
  const running = runShell(['-c', `yes ${token}`], { terminal });
  await until(() => running.printed().length > 100_000, { what: 'the flood' });
  running.stop.abort();
  const end = await running.end;
  expect(end).toMatchObject({ kind: 'stopped', omitted: expect.any(Number) });
  expect('output' in end && end.output.length).toBeLessThanOrEqual(10_000);
});

test.runIf(process.platform === 'linux')(
  'no command inherits a descriptor of a terminal, neither its own nor that of another',
  async () => {
    const looks = 'ls -l /proc/self/fd | grep -E "ptmx|pts" | wc -l';
    const first = runShell(['-c', `echo up; sleep ${token}`], { terminal });
    await until(() => first.printed().includes('up'), { what: 'the first' });
    const [beside, own] = await Promise.all([
      runShell(['-c', looks]).end,
      runShell(['-c', `${looks} 2>&1`], { terminal }).end,
    ]);
    expect(beside).toMatchObject({ output: '0\n' });
    expect(own).toMatchObject({ output: '1\n' }); // its stderr: the other streams are pipes there
    first.stop.abort();
    await first.end;
  },
);

test('a program that does not exist fails with the exit code of a shell', async () => {
  const { end } = runShell(['-c', 'no-such-program'], { terminal });
  expect(await end).toMatchObject({ kind: 'exited', exitCode: 127 });
});
