// Terminates with an unreliable process table: one that misses processes, one that cannot be read, and one that is slow.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { systemTable } from '../../../src/adapters/processes/process-family.ts';
import type { ProcessInfo, ProcessTable } from '../../../src/adapters/processes/process-table.ts';
import { terminateFamily } from '../../../src/adapters/processes/terminate.ts';
import type { Clock } from '../../../src/core/sources/sources.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { until } from '../../support/until.ts';
import { living, newToken, programs, runProgram } from './processes.ts';

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
  (one: ProcessInfo): ProcessTable['bears'] =>
  (process) =>
    process.pid === one.pid ? 'yes' : 'no';

test('a search that may have missed a process proves nothing, however often it is repeated [tool.process] [cancel.settled]', async () => {
  const { exit, asRead } = newProcess();
  let looks = 0;
  const table: ProcessTable = {
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

test('nor does a search in which a process was in the middle of an exec [tool.process]', async () => {
  let looks = 0;
  const table: ProcessTable = {
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

test('what stays unclear is searched ever more rarely, and soon again when anything changes [tool.process]', async () => {
  const strangers = [newProcess(), newProcess()];
  const [stuck, other] = strangers.map(({ asRead }) => asRead) as [ProcessInfo, ProcessInfo];
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
  const shown: ProcessInfo[][] = [...new Array(14).fill([stuck]), ...new Array(13).fill([stuck, other])];
  let looks = 0;
  const table: ProcessTable = {
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

test('what stays unclear does not keep a host alive that has nothing else to do [tool.process] [ops.shutdown]', async () => {
  const { child, exit, asRead } = newProcess();
  const host = spawn(process.execPath, [join(programs, 'unclear-process-host.ts'), String(asRead.pid)], {
    stdio: 'ignore',
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  await until(() => host.exitCode !== null, { ms: 10_000, what: 'its end' });
  child.kill('SIGKILL');
  await exit;
});

test('a process that is found gets its signal before the search continues [tool.process] [cancel.bounded]', async () => {
  const { exit, asRead } = newProcess();
  const table: ProcessTable = {
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

test('a process that cannot be read is not dead [tool.process] [cancel.settled]', async () => {
  const { child, exit, asRead } = newProcess();
  child.kill('SIGSTOP'); // TERM waits
  let asked = 0;
  const table: ProcessTable = {
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

/** Process 77777 of a table of its own, and what is signaled there. `later`: who has its number after the grace. */
function silentTable({ from, later }: { readonly from: 'start' | 'term'; readonly later: 'itself' | 'a stranger' }) {
  const it: ProcessInfo = { pid: 77_777, parent: 1, group: 77_777, startTime: 'boot/1', state: 'alive' };
  let [isSilent, isKilled] = [from === 'start', false];
  const kill = vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
    isSilent ||= signal === 'SIGTERM';
    isKilled ||= signal === 'SIGKILL';
    return true;
  });
  onTestFinished(() => kill.mockRestore());
  const table: ProcessTable = {
    ...systemTable,
    read() {
      if (isSilent) throw Object.assign(new Error('no descriptor is free'), { code: 'EMFILE' });
      return isKilled ? null : it;
    },
    list: async () => ({ ...nothing, steady: !isSilent }),
  };
  const graceMs = 20;
  const untilGrace: Clock = {
    ...clock,
    after: (ms, fn) =>
      clock.after(ms, () => {
        fn();
        if (ms !== graceMs) return;
        isSilent = false;
        if (later === 'a stranger') Object.assign(it, { startTime: 'boot/2' });
      }),
  };
  const options = { clock: untilGrace, termGraceMs: graceMs, table };
  const ladder = terminateFamily({ ...family(), group: it.group }, [{ ...it }], options);
  return { ladder, signals: () => kill.mock.calls };
}

test.each(['start', 'term'] as const)(
  'another process with a known pid is not signaled where the table cannot be read from the %s on [tool.process]',
  async (from) => {
    const { ladder, signals } = silentTable({ from, later: 'a stranger' });
    await ladder;
    expect(signals()).toEqual(from === 'start' ? [] : [[-77_777, 'SIGTERM']]);
  },
);

test.each(['start', 'term'] as const)(
  'a process that could not be read from the %s on gets KILL as soon as it is proven again [tool.process] [cancel.bounded]',
  async (from) => {
    const { ladder, signals } = silentTable({ from, later: 'itself' });
    expect(await ladder).toEqual({ ended: 1, forced: true });
    const kills = signals().filter(([, signal]) => signal === 'SIGKILL');
    expect(kills).toEqual([[77_777, 'SIGKILL']]);
  },
);

test("the host's own command is stopped even where the table cannot be read [tool.process] [cancel.bounded]", async () => {
  const { stop, end, started } = await runProgram('ignores-term.sh', token);
  const { group } = started();
  const silent = vi.spyOn(systemTable, 'read').mockImplementation(() => {
    throw Object.assign(new Error('no descriptor is free'), { code: 'EMFILE' });
  });
  const list = vi.spyOn(systemTable, 'list').mockResolvedValue({ processes: [], steady: false });
  onTestFinished(() => {
    silent.mockRestore();
    list.mockRestore();
  });
  stop.abort();
  await until(() => !living(token).includes(group), { what: 'its end' });
  silent.mockRestore();
  list.mockRestore();
  expect(await end).toMatchObject({ kind: 'stopped', forced: true });
});

test.runIf(process.platform === 'linux')(
  'a host without a free descriptor survives the end of a command, and terminates what that has left [tool.process]',
  async () => {
    const host = [process.execPath, join(programs, 'starving-host.ts'), token];
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', ...host]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'exited', ended: 1 });
  },
);

test.runIf(process.platform === 'linux')(
  'neither zombies that are never reaped nor processes without an environment make a search unsure [tool.process]',
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

test.runIf(process.platform === 'linux')(
  'older processes come first: a parent before its child [tool.process]',
  async () => {
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
  },
);
