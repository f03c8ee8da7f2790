// The lease of a host: renewed by one write, given up when it cannot be renewed, and never taken back from another host.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { type Log, StoreFailed } from '../../../src/core/contracts/log.ts';
import { HostLease, type LeaseLoss } from '../../../src/core/runtime/host-lease.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { wrapLog } from '../../support/wrap-log.ts';

const leaseMs = 10_000;

function startLease({ name, overrides = {} }: { name?: string; overrides?: Partial<Log> } = {}) {
  const { clock, ids } = createVirtualSources();
  const store = createMemoryLog();
  const renewed: string[] = [];
  const log = wrapLog(store, {
    renewLease(host, ms) {
      renewed.push(host);
      return (overrides.renewLease ?? store.renewLease.bind(store))(host, ms);
    },
  });
  const losses: [LeaseLoss, unknown][] = [];
  const onLost = (reason: LeaseLoss, error: unknown) => void losses.push([reason, error]);
  const lease = new HostLease({ log, name, process: null, leaseMs, clock, ids, onRenewed() {}, onLost });
  return { lease, clock, store, renewed, losses };
}

describe('a lease that runs', () => {
  test('is one for all who ask for it, and is renewed four times in its time [store.durable.holder]', async () => {
    const { lease, clock, store, renewed, losses } = startLease();
    const hosts = await Promise.all([lease.hold(), lease.hold(), lease.hold()]);
    expect(new Set(hosts).size).toBe(1);
    await clock.advance(leaseMs);
    expect(await lease.hold()).toBe(hosts[0]);
    expect(renewed).toEqual(Array.from({ length: 4 }, () => hosts[0]));
    expect((await store.hosts()).map(({ id }) => id)).toEqual([hosts[0]]);
    expect(losses).toEqual([]);
  });

  test('ends with its timer', async () => {
    const { lease, clock, store } = startLease();
    await lease.hold();
    await lease.endLease();
    expect(await store.hosts()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('ends also if it is closed while it starts', async () => {
    const { lease, clock, store } = startLease();
    const host = lease.hold();
    await lease.endLease();
    expect(await host).toMatch(/^host_/);
    expect(await store.hosts()).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('a lease that another host has ended', () => {
  test('is lost once, at the next renewal; the next one is of another host, without the name [store.durable.holder]', async () => {
    const { lease, clock, store, losses } = startLease({ name: 'gateway' });
    const first = await lease.hold();
    await store.startLease({ id: 'other', name: 'gateway', process: null }, leaseMs);
    await clock.advance(leaseMs / 4);
    expect(losses).toMatchObject([['fenced', { name: 'Fenced' }]]);
    expect(clock.pending).toBe(0);
    const second = await lease.hold();
    expect(second).not.toBe(first);
    expect((await store.hosts()).map(({ id, name }) => [id, name])).toEqual([
      ['other', 'gateway'],
      [second, second],
    ]);
    await clock.advance(leaseMs);
    expect(losses).toHaveLength(1);
  });
});

describe('a store that does not renew', () => {
  const failed = new StoreFailed('The disk is gone.');

  test.each([
    { name: 'because it fails', renewLease: () => Promise.reject(failed), error: failed },
    { name: 'because it does not respond', renewLease: () => new Promise<void>(() => {}), error: null },
  ])(
    '$name: the lease is lost when it has run out, not before [store.durable.holder]',
    async ({ renewLease, error }) => {
      const { lease, clock, losses } = startLease({ overrides: { renewLease } });
      await lease.hold();
      await clock.advance(leaseMs - 1);
      expect(losses).toEqual([]);
      await clock.advance(1);
      expect(losses).toEqual([['store_failed', error]]);
    },
  );

  test('for a while: the lease goes on', async () => {
    let renewals = 0;
    const renewLease = () => (renewals++ % 3 === 2 ? Promise.resolve() : Promise.reject(failed));
    const { lease, clock, losses } = startLease({ overrides: { renewLease } });
    const host = await lease.hold();
    await clock.advance(10 * leaseMs);
    expect(losses).toEqual([]);
    expect(await lease.hold()).toBe(host);
  });

  test('first because it fails, later because it does not respond: the loss has no error of renewals that were made up for', async () => {
    let renewals = 0;
    const replies = [() => Promise.reject(failed), () => Promise.resolve()];
    const renewLease = () => replies[renewals++]?.() ?? new Promise<void>(() => {});
    const { lease, clock, losses } = startLease({ overrides: { renewLease } });
    await lease.hold();
    await clock.advance(2 * leaseMs);
    expect(losses).toEqual([['store_failed', null]]);
  });

  test('and did not start it either: it is tried again by the next session', async () => {
    const { clock, ids } = createVirtualSources();
    const store = createMemoryLog();
    let fails = true;
    const startLease: Log['startLease'] = (host, ms) => (fails ? Promise.reject(failed) : store.startLease(host, ms));
    const log = wrapLog(store, { startLease });
    const lease = new HostLease({
      log,
      name: undefined,
      process: null,
      leaseMs,
      clock,
      ids,
      onRenewed() {},
      onLost() {},
    });
    await expect(lease.hold()).rejects.toThrow(failed);
    fails = false;
    expect(await lease.hold()).toMatch(/^host_/);
  });
});
