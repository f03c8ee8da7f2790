// The records of dead hosts: processes of servers are ended by any start, those of calls by the start that records their end.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { terminateLeftoversOfDeadHosts } from '../../../src/adapters/processes/dead-hosts.ts';
import { readThisProcess } from '../../../src/adapters/processes/host-process.ts';
import { type HostRecord, recordsFolder, thisSystem } from '../../../src/adapters/processes/host-record.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { endAll, living, newToken, runProgram } from './processes.ts';

afterEach(endAll);

const ending = { clock: systemSources.clock, termGraceMs: 300, waitMs: 5_000, warn() {} };
const tenMinutesMs = 600_000;

/** A command and a server that run, and a record of their host, written so many milliseconds ago. */
async function leave({ host, hasStore, ageMs = 0 }: Pick<HostRecord, 'host' | 'hasStore'> & { ageMs?: number }) {
  const [call, server] = [newToken(), newToken()];
  const marks = await Promise.all(
    [call, server].map(async (token) => {
      const marker = `left_${token}`;
      const { started } = await runProgram('polite.sh', token, { marker });
      return { marker, ...started(), ...(token === server && { belongsTo: 'host' as const }) };
    }),
  );
  const record: HostRecord = { host, system: thisSystem(), hasStore, marks };
  const path = join(recordsFolder(), `${systemSources.ids('record')}.json`);
  mkdirSync(recordsFolder(), { recursive: true });
  writeFileSync(path, JSON.stringify(record));
  const writtenAt = (systemSources.clock.now() - ageMs) / 1_000;
  utimesSync(path, writtenAt, writtenAt);
  onTestFinished(() => rmSync(path, { force: true }));
  return { isRunning: () => ({ call: living(call).length > 0, server: living(server).length > 0 }) };
}

/** A pid that no process has: above the limit of the system. */
const dead = { pid: 2 ** 30, startTime: '1' };

test.each([
  { name: 'with a store: its servers', hasStore: true, left: { call: true, server: false } },
  { name: 'without a store: all', hasStore: false, left: { call: false, server: false } },
  {
    name: 'with a store, ten minutes later: all',
    hasStore: true,
    ageMs: tenMinutesMs + 1_000,
    left: { call: false, server: false },
  },
  {
    name: 'without a store, before the sessions are read: its servers',
    hasStore: false,
    only: 'host' as const,
    left: { call: true, server: false },
  },
  {
    name: 'with a store, ten minutes later, before the sessions are read: its servers',
    hasStore: true,
    ageMs: tenMinutesMs + 1_000,
    only: 'host' as const,
    left: { call: true, server: false },
  },
])('of a dead host $name are ended [tool.process] [ops.shutdown.killed]', async ({ left, only, ...record }) => {
  const host = await leave({ host: dead, ...record });
  expect(host.isRunning()).toEqual({ call: true, server: true });
  expect(await terminateLeftoversOfDeadHosts({ ...ending, ...(only && { only }) })).toBeGreaterThan(0);
  expect(host.isRunning()).toEqual(left);
});

test.each([{ hasStore: true }, { hasStore: false }])(
  'nothing of a living host is ended, however old its record is (store: $hasStore) [tool.process] [ops.shutdown.killed]',
  async ({ hasStore }) => {
    const self = readThisProcess();
    if (!self) throw new Error('The system does not say when this process has started.');
    const host = await leave({ host: self, hasStore, ageMs: 100 * tenMinutesMs });
    expect(await terminateLeftoversOfDeadHosts(ending)).toBe(0);
    expect(host.isRunning()).toEqual({ call: true, server: true });
  },
);
