// What the ladder makes of a table that does not tell everything: of one that is unsteady, one that is silent, and one that is late.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/sources/sources.ts';
import { systemSources } from '../../../src/sources/system.ts';
import { systemTable } from '../../../src/tools/process/find.ts';
import type { Process, Table } from '../../../src/tools/process/table.ts';
import { terminateFamily } from '../../../src/tools/process/terminate.ts';
import { until } from '../../support/until.ts';
import { living, newToken, programs } from './processes.ts';

const { clock, ids } = systemSources;
const token = newToken();
afterEach(() => expect(living(token)).toEqual([]));

/** A process that is nobody's: only the table that a test makes knows it. */
function newProcess() {
  const child = spawn('/bin/sleep', [token], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  const pid = child.pid ?? 0;
  const asRead = systemTable.read(pid);
  if (!asRead) throw new Error('it has not started');
  return { child, exit, asRead };
}

const nothing = { processes: [], steady: true };
const family = () => ({ marker: ids('call'), group: null, startTime: null });
const bearsIt =
  (one: Process): Table['bears'] =>
  (process) =>
    process.pid === one.pid ? 'yes' : 'no';

test('a look that may have missed one is no proof, however many of them there were [tool.process] [cancel.settled]', async () => {
  const { exit, asRead } = newProcess();
  let looks = 0;
  const table: Table = {
    ...systemTable,
    bears: bearsIt(asRead),
    list: async (visit) => (++looks <= 10 ? { ...nothing, steady: false } : systemTable.list(visit)),
  };
  expect(await terminateFamily(family(), [], { clock, termGraceMs: 60_000, table })).toEqual({
    ended: 1,
    forced: false,
  });
  expect(looks).toBeGreaterThan(10);
  expect(await exit).toEqual([null, 'SIGTERM']);
});

test('neither is one in which somebody was between two programs [tool.process]', async () => {
  let looks = 0;
  const table: Table = {
    ...systemTable,
    bears: () => (looks <= 5 ? 'unclear' : 'no'),
    list: (visit) => {
      looks++;
      return systemTable.list(visit);
    },
  };
  expect(await terminateFamily(family(), [], { clock, termGraceMs: 60_000, table })).toEqual({
    ended: 0,
    forced: false,
  });
  expect(looks).toBeGreaterThan(5);
});

test('what stays unclear is looked at ever more rarely, and soon again when anything changes [tool.process]', async () => {
  const strangers = [newProcess(), newProcess()];
  const [stuck, other] = strangers.map(({ asRead }) => asRead) as [Process, Process];
  const pauses: number[] = [];
  const hurried: Clock = {
    ...clock,
    after(ms, fn) {
      if (ms === 60_000) return () => {};
      pauses.push(ms);
      setImmediate(fn);
      return () => {};
    },
  };
  const shown: Process[][] = [...new Array(14).fill([stuck]), ...new Array(13).fill([stuck, other])];
  let looks = 0;
  const table: Table = {
    ...systemTable,
    bears: () => 'unclear',
    async list(visit = () => {}) {
      const processes = shown[looks++] ?? [];
      processes.forEach(visit);
      return { processes, steady: looks !== 27 };
    },
  };
  await terminateFamily(family(), [], { clock: hurried, termGraceMs: 60_000, table });
  const soon = systemTable.pollMs;
  expect(pauses.slice(11, 14), 'the same as ever').toEqual([500, 500, 500]);
  expect(pauses[14], 'a new one').toBeLessThanOrEqual(soon);
  expect(pauses[25], 'the same again').toBe(500);
  expect(pauses[26], 'one may have been missed').toBeLessThanOrEqual(soon);
  for (const { child } of strangers) child.kill('SIGKILL');
  await Promise.all(strangers.map(({ exit }) => exit));
});

test('nor does it hold a host that has nothing else to do [tool.process] [ops.shutdown]', async () => {
  const { child, exit, asRead } = newProcess();
  const host = spawn(process.execPath, [join(programs, 'doubting-host.ts'), String(asRead.pid)], { stdio: 'ignore' });
  onTestFinished(() => void host.kill('SIGKILL'));
  await until(() => host.exitCode !== null, { ms: 10_000, what: 'its end' });
  child.kill('SIGKILL');
  await exit;
});

test('what is seen has its signal before the look goes on [tool.process] [cancel.bounded]', async () => {
  const { exit, asRead } = newProcess();
  const table: Table = {
    ...systemTable,
    bears: bearsIt(asRead),
    async list(visit) {
      if (!systemTable.read(asRead.pid)) return nothing;
      visit?.(asRead);
      await exit; // the rest of this look takes as long as that
      return { processes: [asRead], steady: true };
    },
  };
  const options = { clock, termGraceMs: 60_000, kill: AbortSignal.abort(), table };
  expect(await terminateFamily(family(), [], options)).toEqual({ ended: 1, forced: true });
});

test('a process of which the system does not say anything is not dead [tool.process] [cancel.settled]', async () => {
  const { child, exit, asRead } = newProcess();
  child.kill('SIGSTOP'); // TERM waits
  let asked = 0;
  const table: Table = {
    ...systemTable,
    read(pid) {
      if (++asked > 10) return systemTable.read(pid);
      if (asked === 10) child.kill('SIGCONT');
      throw Object.assign(new Error('no descriptor is free'), { code: 'EMFILE' });
    },
    list: async () => ({ ...nothing, steady: asked > 10 }),
  };
  expect(await terminateFamily(family(), [asRead], { clock, termGraceMs: 60_000, table })).toEqual({
    ended: 1,
    forced: false,
  });
  expect(await exit).toEqual([null, 'SIGTERM']);
});

test.runIf(process.platform === 'linux')(
  'neither zombies that nobody reaps nor processes without an environment keep a look from being sure [tool.process]',
  async () => {
    const script = `env -i sleep ${token} & sleep 0 & exec sleep ${token}`;
    const careless = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
    const pid = careless.pid ?? 0;
    try {
      const children = () => systemTable.children(pid);
      await until(() => living(token).length === 2 && children().some(({ state }) => state === 'zombie'), {
        what: 'the zombie',
      });
      const bare = children().find(({ state }) => state === 'alive');
      if (!bare) throw new Error('it has no child');
      expect(systemTable.bears(bare, ids('call'))).toBe('no');
      expect(await until(async () => (await systemTable.list()).steady)).toBe(true);
    } finally {
      process.kill(-pid, 'SIGKILL');
      await until(() => careless.signalCode !== null && living(token).length === 0, { what: 'its end' });
    }
  },
);

test.runIf(process.platform === 'linux')('the older come first: a parent before its child [tool.process]', async () => {
  const pids: number[] = [];
  await systemTable.list(({ pid }) => pids.push(pid));
  const { processes } = await systemTable.list();
  expect(pids.length).toBeGreaterThan(3);
  expect(processes.map(({ pid }) => pid)).toEqual([...new Set(processes.map(({ pid }) => pid))]);
  const firstRound = pids.slice(
    0,
    pids.findIndex((pid, at) => pid < (pids[at - 1] ?? 0)),
  );
  expect(firstRound).toEqual(firstRound.toSorted((a, b) => a - b));
});
