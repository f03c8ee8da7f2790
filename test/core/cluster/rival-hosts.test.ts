// A living host of the same name, or with other sessions, keeps a host out of its cluster; a dead one does not.
import { expect, test } from 'vitest';
import { assertNoRival } from '../../../src/core/cluster/rival-hosts.ts';
import type { LeasedHost, Log } from '../../../src/core/contracts/log.ts';
import { noProcesses } from '../../../src/core/runtime/no-processes.ts';

const host = (id: string, rest: Partial<LeasedHost>): LeasedHost => ({ id, name: id, process: null, ...rest });

/** Looks at hosts as they are at each look; the last ones stay. */
async function join(
  looks: readonly (readonly LeasedHost[])[],
  { name, configuration }: { readonly name?: string; readonly configuration?: string },
): Promise<number> {
  let looked = 0;
  const log = {
    hosts: async () => looks[Math.min(Math.floor(looked++ / 2), looks.length - 1)] ?? [],
  } as unknown as Log; // each look asks twice, and asks for nothing else
  await assertNoRival({ log, processes: noProcesses, name, configuration });
  return looked / 2;
}

test('a host that renews its lease lives: its name, and other sessions than its own, are refused by name [cluster.start]', async () => {
  const living = [
    [host('a', { remainingMs: 900, configuration: 'old', label: 'pod-1' })],
    [host('a', { remainingMs: 1_000, configuration: 'old', label: 'pod-1' })],
  ];
  await expect(join(living, { configuration: 'new' })).rejects.toThrow('configured otherwise: pod-1.');
  await expect(join(living, { name: 'a' })).rejects.toThrow('A living host of the cluster is named a');
  expect(await join(living, { name: 'b', configuration: 'old' })).toBe(1);
  expect(await join(living, {}), 'a host that does not say is not compared').toBe(1);
});

test('the lease of a dead host is waited for [cluster.start]', async () => {
  const dead = [900, 600, 300, 0].map((remainingMs) => [host('a', { remainingMs, configuration: 'old' })]);
  expect(await join(dead, { name: 'a', configuration: 'new' })).toBe(4);
});

test("hosts that say nothing of their sessions or their lease are in nobody's way [cluster.start]", async () => {
  expect(await join([[host('a', { remainingMs: 900 })]], { configuration: 'new' })).toBe(1);
  expect(await join([[host('a', {})]], { name: 'a' })).toBe(1);
});
