// The list of hosts: their leases, with what they say of themselves where there is a bus.
import { expect, test } from 'vitest';
import type { LeasedHost } from '../../../src/core/contracts/log.ts';
import { describeHosts } from '../../../src/core/runtime/describe-hosts.ts';

const process = { pid: 7, startTime: '9', system: 'x' };
const leased: readonly LeasedHost[] = [
  { id: 'a', name: 'a', process, label: 'pod-1', leaseMs: 2_000, remainingMs: 1_750.4 },
  { id: 'b', name: 'gateway', process: null, leaseMs: 2_000, remainingMs: 500 },
  { id: 'c', name: 'c', process: null, leaseMs: 2_000, remainingMs: 0 },
];

test('a host that does not reply over the bus is unreachable while its lease runs, and gone after it [cluster.hosts]', async () => {
  const log = {
    hosts: async () => leased,
    countHeld: async () =>
      new Map([
        ['a', 3],
        ['c', 2],
      ]),
  };
  const unknown = { isAsked: false, activeTurns: null, pid: null };
  expect(await describeHosts(log, [{ host: 'a', sessions: 1, activeTurns: 4 }])).toEqual([
    {
      host: 'a',
      name: 'pod-1',
      pid: 7,
      state: 'living',
      isAsked: true,
      sessions: 3,
      activeTurns: 4,
      lease: { ms: 2_000, ageMs: 250 },
    },
    { ...unknown, host: 'b', name: 'gateway', state: 'unreachable', sessions: 0, lease: { ms: 2_000, ageMs: 1_500 } },
    { ...unknown, host: 'c', name: 'c', state: 'gone', sessions: 2, lease: { ms: 2_000, ageMs: 2_000 } },
  ]);
});

test('what is not known is null: without a bus, and of a store that counts nothing [cluster.hosts]', async () => {
  const log = { hosts: async () => [{ id: 'a', name: 'a', process, remainingMs: 900 }] };
  const known = { host: 'a', name: 'a', pid: 7, state: 'living', lease: null };
  expect(await describeHosts(log, undefined)).toEqual([
    { ...known, isAsked: false, sessions: null, activeTurns: null },
  ]);
  expect(await describeHosts(log, [{ host: 'a', sessions: 1, activeTurns: 0 }])).toEqual([
    { ...known, isAsked: true, sessions: 1, activeTurns: 0 },
  ]);
});
