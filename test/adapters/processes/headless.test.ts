// Processes whose first thread has ended while others live: `ps` shows them as dead, and their pid alone has no environment.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { markerName } from '../../../src/adapters/processes/process-table.ts';
import { procfs } from '../../../src/adapters/processes/procfs.ts';
import { findProgram } from '../../../src/adapters/processes/program-path.ts';
import { systemProcesses } from '../../../src/adapters/processes/system-processes.ts';
import { terminateLeftoverProcesses } from '../../../src/core/runtime/leftover-processes.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { until } from '../../support/until.ts';
import { endAll, programs, runShell } from './processes.ts';

const { ids } = systemSources;
const python = findProgram(['python3'], process.env['PATH']);
const canBeHeadless = process.platform === 'linux' && python !== null;
/** Long after the work of these tests, and before the end of the other processes. */
const soon = { ms: 3_000 };

const headless = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of headless) {
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null, { what: 'its end' });
  }
  headless.clear();
  await endAll();
});

/** Dead, by its first thread, and with several. */
const isHeadless = (pid: number) =>
  /^Z.*l/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }));

/** Nobody's, until the test is over. */
async function newHeadless(environment: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...environment };
  const child = spawn(python ?? '', [join(programs, 'headless.py'), '600'], { stdio: 'ignore', detached: true, env });
  headless.add(child);
  const pid = child.pid ?? 0;
  await until(() => isHeadless(pid), { what: 'the end of its first thread' });
  return { child, pid };
}

test.runIf(canBeHeadless)('the other threads show whose it is [tool.process]', async () => {
  const marker = ids('call');
  const { pid } = await newHeadless({ [markerName]: marker });
  const asRead = procfs.read(pid);
  if (!asRead) throw new Error('it is there');
  expect(asRead.state).toBe('alive');
  expect(procfs.bears(asRead, marker)).toBe('yes');
  expect(procfs.bears(asRead, ids('call'))).toBe('no');
});

test.runIf(canBeHeadless)(
  "another program's process delays no command, and no recovery [tool.process] [cancel.bounded] [store.durable]",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-headless-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const go = join(folder, 'go');
    const running = runShell(['-c', 'until [ -e "$0" ]; do sleep 0.01; done; echo hi', go]);
    await newHeadless(); // started since, so that it could be the command's
    writeFileSync(go, '');
    let end: unknown;
    void running.end.then((it) => {
      end = it;
    });
    await until(() => end, { ...soon, what: 'the end of the command' });
    expect(end).toMatchObject({ kind: 'exited', output: 'hi\n' });

    const warnings: string[] = [];
    const bounds = { termGraceMs: 200, waitMs: soon.ms, warn: (message: string) => void warnings.push(message) };
    expect(
      await terminateLeftoverProcesses({ processes: systemProcesses, calls: [ids('call')], facts: [], ...bounds }),
    ).toEqual([]);
    expect(warnings).toEqual([]);
  },
);

test.runIf(canBeHeadless)(
  "a call's own is found by its marker, and ended [tool.process] [cancel.settled]",
  async () => {
    const marker = ids('call');
    const { child } = await newHeadless({ [markerName]: marker });
    const bounds = { termGraceMs: soon.ms, waitMs: soon.ms, warn() {} }; // TERM has to do
    expect(
      await terminateLeftoverProcesses({ processes: systemProcesses, calls: [marker], facts: [], ...bounds }),
    ).toEqual([marker]);
    await until(() => child.signalCode !== null, { what: 'its exit' });
    expect(child.signalCode).toBe('SIGTERM');
  },
);
