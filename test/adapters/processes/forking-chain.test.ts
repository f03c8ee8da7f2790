// Terminates a chain of processes: each forks the next into a session of its own, and ends.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { until } from '../../support/until.ts';
import { endAll, living, newToken, programs, runShell, zombies } from './processes.ts';

const token = newToken();

afterEach(async () => {
  await endAll();
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

/** A pipe that shows whether a process holds its other end: no listing of processes is sure to see a forking chain. */
function newWatch() {
  const folder = mkdtempSync(join(tmpdir(), 'belay-chain-'));
  const path = join(folder, 'held');
  execFileSync('mkfifo', [path]);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });
  const isHeld = () => {
    try {
      return readSync(descriptor, Buffer.alloc(1)) > 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN';
    }
  };
  return { path, isHeld };
}

test.runIf(process.platform === 'linux')(
  'a forking chain is not reported as stopped before its last process is dead [tool.process] [cancel.bounded] [cancel.settled]',
  async () => {
    const watch = newWatch();
    const { stop, end, printed } = runShell([join(programs, 'forking-chain.sh'), token, watch.path]);
    await until(() => printed().includes('\n') && watch.isHeld(), { what: 'the chain to fork' });
    stop.abort();
    expect(await end).toMatchObject({ kind: 'stopped', forced: true });
    expect(watch.isHeld()).toBe(false);
  },
);

test.runIf(process.platform === 'linux')(
  'nor is one that a command leaves running at its end [tool.process]',
  async () => {
    const watch = newWatch();
    const { end } = runShell([
      '-c',
      `timeout -s KILL 0.2 sh ${join(programs, 'forking-chain.sh')} ${token} ${watch.path}`,
    ]);
    expect(await end).toMatchObject({ kind: 'exited', exitCode: 137 });
    expect(watch.isHeld()).toBe(false);
  },
);
