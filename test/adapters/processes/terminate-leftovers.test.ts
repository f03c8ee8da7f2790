// Terminates the processes that a killed host has left running, and no others.
import { spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { systemTable } from '../../../src/adapters/processes/process-family.ts';
import { terminateLeftovers } from '../../../src/adapters/processes/terminate-leftovers.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { until } from '../../support/until.ts';
import { living, newToken, runUnderDyingHost } from './processes.ts';

const { clock, ids } = systemSources;
/** Longer than any test: what ends within it has ended by itself. */
const options = { clock, termGraceMs: 600_000 };
const onLinux = process.platform === 'linux';

let token = newToken();
afterEach(() => {
  expect(living(token)).toEqual([]);
  token = newToken();
});

test.each(
  onLinux
    ? ['polite.sh', 'ignores-term.sh', 'forks.sh', 'leaves-group.sh', 'removes-marker.sh']
    : ['polite.sh', 'ignores-term.sh', 'forks.sh'],
)('after kill -9 of its host, %s is found and ended [store.durable] [tool.process]', async (program) => {
  const node = ids('call');
  const started = await runUnderDyingHost(program, token, node);
  expect(living(token)).not.toEqual([]);
  const forced = program === 'ignores-term.sh' || program === 'leaves-group.sh';
  const [ended, ...others] = await terminateLeftovers([{ node, ...started }], {
    ...options,
    ...(forced && { termGraceMs: 200 }),
  });
  expect(ended).toMatchObject({ node, ...started, forced });
  expect(others).toEqual([]);
  expect(await terminateLeftovers([{ node, ...started }], options)).toEqual([]);
});

test.runIf(onLinux)('processes of a group whose first process is gone are found by their marker', async () => {
  const node = ids('call');
  const started = await runUnderDyingHost('forks.sh', token, node);
  process.kill(started.group, 'SIGKILL');
  await until(() => systemTable.read(started.group)?.state !== 'alive', { what: 'the leader to be dead' });
  expect(living(token)).not.toEqual([]);
  expect(await terminateLeftovers([{ node, ...started }], options)).toMatchObject([{ node, forced: false }]);
});

test.runIf(onLinux)(
  'a process that its host died too early to record is found by its marker [store.durable]',
  async () => {
    const node = ids('call');
    await runUnderDyingHost('forks.sh', token, node);
    expect(await terminateLeftovers([{ node, group: null, startTime: null }], options)).toMatchObject([{ node }]);
    expect(await terminateLeftovers([{ node: ids('call'), group: null, startTime: null }], options)).toEqual([]);
  },
);

test.runIf(onLinux)(
  'so is a process that has removed its marker, below one that bears it [store.durable] [tool.process]',
  async () => {
    const node = ids('call');
    await runUnderDyingHost('removes-marker.sh', token, node);
    expect(living(token)).toHaveLength(2);
    expect(await terminateLeftovers([{ node, group: null, startTime: null }], options)).toMatchObject([{ ended: 2 }]);
  },
);

test('a process with the same pid, another start time and no marker is left alone [tool.process]', async () => {
  const innocent = spawn('/bin/sh', ['-c', `sleep ${token}; :`], { detached: true, stdio: 'ignore' });
  try {
    await until(() => living(token).length === 2, { what: 'the innocent process' });
    const group = innocent.pid ?? 0;
    const startTime = systemTable.read(group)?.startTime ?? '';
    const earlier = startTime.replace(/\d+$/, (ticks) => String(Number(ticks) - 100));
    expect(await terminateLeftovers([{ node: ids('call'), group, startTime: earlier }], options)).toEqual([]);
    expect(await terminateLeftovers([{ node: ids('call'), group, startTime: 'another boot/1' }], options)).toEqual([]);
    expect(living(token)).toHaveLength(2);
  } finally {
    process.kill(-(innocent.pid ?? 0), 'SIGKILL');
    await until(() => innocent.signalCode !== null && living(token).length === 0, { what: 'its end' });
  }
});

test.runIf(onLinux)('a marker is compared as a whole: call_1 is not call_12', async () => {
  const env = { ...process.env, BELAY_NODE: `${token}_12` };
  const other = spawn('/bin/sh', ['-c', `sleep ${token}; :`], { env, stdio: 'ignore' });
  try {
    await until(() => living(token).length === 2, { what: 'the other process' });
    const now = systemTable.read(other.pid ?? 0);
    const startTime = now?.startTime ?? '';
    expect(await terminateLeftovers([{ node: `${token}_1`, group: 2 ** 22, startTime }], options)).toEqual([]);
    expect(living(token)).toHaveLength(2);
    expect(await terminateLeftovers([{ node: `${token}_12`, group: 2 ** 22, startTime }], options)).toMatchObject([
      { ended: 2 },
    ]);
  } finally {
    await until(() => other.signalCode !== null, { what: 'its end' });
  }
});
