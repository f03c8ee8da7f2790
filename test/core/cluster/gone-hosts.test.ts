// The sessions of a dead host are closed by one of the living, when nobody asks for them.
import { expect, test } from 'vitest';
import { GoneHosts } from '../../../src/core/cluster/gone-hosts.ts';
import { HeldElsewhere, type LeasedHost } from '../../../src/core/contracts/log.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const leaseMs = 2_000;

/** A host that looks at `hosts`. `left`: the sessions of dead hosts; they are gone once they are opened. `failing`: those that cannot be. */
function watch(own: string | null, hosts: Readonly<Record<string, number>>, failing: ReadonlySet<string> = new Set()) {
  const clock = createVirtualClock();
  const opened: string[] = [];
  const warnings: string[] = [];
  let left = ['s', 't'];
  const listed = { ...hosts };
  const gone = new GoneHosts({
    log: {
      hosts: async () =>
        Object.entries(listed).map(([id, remainingMs]): LeasedHost => ({ id, name: id, process: null, remainingMs })),
      orphaned: async () => left,
    },
    clock,
    leaseMs,
    host: () => own,
    open: async (session) => {
      opened.push(session);
      if (failing.has(session)) throw new Error('it cannot be opened');
      left = left.filter((one) => one !== session);
      if (session === 't') throw new HeldElsewhere(session);
    },
    warn: (message) => void warnings.push(message),
  });
  return { gone, clock, opened, warnings, listed };
}

test('the living host with the smallest id closes them, once [cluster.gone]', async () => {
  const first = watch('b', { a: 0, b: 1_000, c: 1_000 });
  await first.gone.closeDue();
  expect(first.opened).toEqual(['s', 't']);
  await first.gone.closeDue();
  expect(first.opened, 'a host that is not removed is looked after once').toHaveLength(2);
});

test('the next one does a lease later what is left by then [cluster.gone]', async () => {
  const second = watch('c', { a: 0, b: 1_000, c: 1_000 });
  await second.gone.closeDue();
  second.clock.step(leaseMs / 2);
  await second.clock.advance(leaseMs - 1);
  await second.gone.closeDue();
  expect(second.opened).toEqual([]);
  await second.clock.advance(1);
  await second.gone.closeDue();
  expect(second.opened).toEqual(['s', 't']);
});

test('a session that cannot be opened is tried again, and keeps no other from it [cluster.gone]', async () => {
  const first = watch('b', { a: 0, b: 1_000 }, new Set(['s']));
  await first.gone.closeDue();
  await first.gone.closeDue();
  expect(first.opened).toEqual(['s', 't', 's']);
  expect(first.warnings[0]).toContain('The session s,');
});

test('a host that has no lease, or has not renewed its own, judges nobody; and nobody is judged whose lease runs [cluster.gone]', async () => {
  for (const [own, hosts] of [
    [null, { a: 0 }],
    ['b', { a: 0, b: 0 }],
    ['b', { a: 1, b: 1 }],
  ] as const) {
    const host = watch(own, hosts);
    await host.gone.closeDue();
    expect(host.opened).toEqual([]);
  }
});
