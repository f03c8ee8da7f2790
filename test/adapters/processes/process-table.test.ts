// Both process tables agree with each other, and with the facts of this process.
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { procfs } from '../../../src/adapters/processes/procfs.ts';
import { ps } from '../../../src/adapters/processes/ps.ts';
import { until } from '../../support/until.ts';

const tables = process.platform === 'linux' ? { procfs, ps } : { ps };

test.each(Object.entries(tables))('%s reads a process, its children and its group', async (_, table) => {
  const child = spawn('/bin/sh', ['-c', 'sleep 600 & wait'], { detached: true, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  try {
    await until(() => table.group(pid).length === 2, { what: 'the child to have forked' });
    const leader = table.read(pid);
    expect(leader).toMatchObject({ pid, parent: process.pid, group: pid, state: 'alive' });
    expect(table.read(pid)?.startTime).toBe(leader?.startTime);
    expect(table.children(pid)).toEqual(table.group(pid).filter((process) => process.pid !== pid));
    const { processes } = await table.list();
    expect(processes).toContainEqual(leader);
    expect(processes.length).toBeGreaterThan(3);
  } finally {
    process.kill(-pid, 'SIGKILL');
    await until(() => child.signalCode !== null, { what: 'its end' });
  }
  expect(table.read(pid)).toBeNull();
});

test.runIf(process.platform === 'linux')('a name with spaces and parentheses does not shift the fields', async () => {
  const script =
    "require('fs').writeFileSync('/proc/self/comm', 'a) Z 1 (b'); process.stdout.write('named'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(procfs.read(child.pid ?? 0)).toMatchObject({ parent: process.pid, state: 'alive' });
  } finally {
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null, { what: 'its end' });
  }
});
