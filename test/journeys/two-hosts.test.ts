// Two real processes on one store: a suspended holder loses its session when its lease has run out, a killed one at once.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type Child, startChild } from '../support/child.ts';
import { callerOf } from '../support/harness.ts';
import { until } from '../support/until.ts';

const heldElsewhere = { name: 'HeldElsewhere', code: 'held_elsewhere' };

interface FirstHost {
  readonly store: string;
  readonly token: string;
  readonly child: Child;
}

/** The shell of its session: the host has the token in its own command line, too. */
const shellOf = ({ token, child }: FirstHost) => living(token).filter((pid) => pid !== child.process.pid);

/** A process whose session runs a shell and a tool. */
async function startFirst(leaseMs: number): Promise<FirstHost> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-hosts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const store = join(folder, 'store.sqlite');
  const token = newToken();
  const child = startChild('test/children/sharing-host.ts', { args: [store, token, String(leaseMs)], cwd: folder });
  await child.untilPrinted('running', 20_000);
  const first = { store, token, child };
  await until(() => shellOf(first).length > 0, { ms: 10_000, what: 'the shell to run' });
  return first;
}

const isStopped = (pid: number | undefined) =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T');

function isLocked(store: string): boolean {
  const db = new DatabaseSync(store, { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch {
    return true;
  } finally {
    db.close();
  }
}

/** Suspends the host between two writes: in a write it holds the lock of the file, and no host can write until it goes on. */
async function suspend({ child, store }: FirstHost): Promise<void> {
  await until(
    async () => {
      child.signal('SIGSTOP');
      await until(() => isStopped(child.process.pid), { what: 'the host to be suspended' });
      if (!isLocked(store)) return true;
      child.signal('SIGCONT');
      return false;
    },
    { what: 'the host to be suspended between two writes' },
  );
}

async function startSecond(store: string, leaseMs: number): Promise<EmbeddedRuntime> {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ text: 'yes' }] }),
  });
  const runtime = await createRuntime({
    acknowledge: 'off',
    store,
    provider,
    limits: { leaseMs, termGraceMs: 300 },
    warn() {},
  });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function factsOf(runtime: EmbeddedRuntime) {
  const session = await runtime.session('s');
  const recorder = createRecorder();
  await session.join(callerOf('bob'), recorder.listener, 0);
  return recorder;
}

/** Opens the session in the second host as soon as it can. */
const untilOpened = (runtime: EmbeddedRuntime) =>
  until(() => runtime.session('s').catch(() => null), { ms: 15_000, what: 'the second host to open the session' });

describe('a holder that is suspended', () => {
  test('keeps its session until its lease has run out; when it goes on, it stops its tools at once and tells its members [store.durable.holder]', async () => {
    const leaseMs = 2_000;
    const first = await startFirst(leaseMs);
    const second = await startSecond(first.store, leaseMs);
    await expect(second.session('s')).rejects.toMatchObject(heldElsewhere);
    await suspend(first);
    await expect(second.session('s'), 'its lease runs').rejects.toMatchObject(heldElsewhere);
    await untilOpened(second);
    expect(shellOf(first), 'the second host has ended its processes').toEqual([]);
    const recorder = await factsOf(second);
    expect(recorder.of('turn_ended')).toMatchObject([{ outcome: 'failed', code: 'crash' }]);
    expect(first.child.stdout(), 'it is suspended').not.toContain('tool stopped');

    first.child.signal('SIGCONT');
    await first.child.untilPrinted('tool stopped', 1_000);
    await first.child.untilPrinted('ended fenced', 1_000);
    await first.child.untilPrinted('refused held_elsewhere', 1_000);
    const turn = (await second.session('s')).as('bob').say('are you there?');
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  });

  test('goes on with its session if no other host has opened it [store.durable.holder]', async () => {
    const leaseMs = 1_000;
    const first = await startFirst(leaseMs);
    const log = createSqliteLog({ path: first.store });
    onTestFinished(() => log.close());
    await suspend(first);
    await until(async () => (await log.orphaned()).length === 1, { what: 'the lease to run out' });
    first.child.signal('SIGCONT');
    await until(async () => (await log.orphaned()).length === 0, { what: 'the lease to be renewed' });
    const second = await startSecond(first.store, leaseMs);
    await expect(second.session('s')).rejects.toMatchObject(heldElsewhere);
    expect(shellOf(first)).not.toEqual([]);
    expect(first.child.stdout()).toBe('running\n');
  });
});

describe('a holder that is killed', () => {
  test('is taken over at once when a host that runs opens its session, long before its lease has run out [store.durable.holder] [store.durable]', async () => {
    const first = await startFirst(600_000);
    const second = await startSecond(first.store, 600_000);
    await expect(second.session('s')).rejects.toMatchObject(heldElsewhere);
    first.child.signal('SIGKILL');
    await first.child.ended();
    const recorder = await factsOf(second);
    expect(recorder.of('turn_ended')).toMatchObject([{ outcome: 'failed', code: 'crash' }]);
    expect(shellOf(first)).toEqual([]);
  });

  test('is found by a host that runs: its processes end though nobody opens its session [store.durable.holder] [ops.shutdown.killed]', async () => {
    const first = await startFirst(600_000);
    await startSecond(first.store, 1_000);
    first.child.signal('SIGKILL');
    await first.child.ended();
    await until(() => shellOf(first).length === 0, { ms: 15_000, what: 'the shell to be dead' });
  });

  test('leaves its sessions to the next start [store.durable.holder] [store.durable]', async () => {
    const first = await startFirst(600_000);
    first.child.signal('SIGKILL');
    await first.child.ended();
    expect(shellOf(first)).not.toEqual([]);
    const second = await startSecond(first.store, 600_000);
    expect(shellOf(first), 'before any command').toEqual([]);
    const recorder = await factsOf(second);
    expect(recorder.of('session_recovered')).toHaveLength(1);
  });
});
