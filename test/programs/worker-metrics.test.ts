// The counters of workers that have exited stay in the sum, however many there were.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { countersOf, mergeSnapshots } from '../../src/adapters/telemetry/sum-metrics.ts';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { WorkerMetrics } from '../../src/programs/worker-metrics.ts';

async function snapshotOf(count: number) {
  const registers = [new Registry()];
  new Counter({ name: 'words_total', help: 'Words.', labelNames: ['kind'], registers }).inc({ kind: 'said' }, count);
  new Gauge({ name: 'open', help: 'Open.', registers }).set(count);
  new Histogram({ name: 'wait', help: 'Waits.', buckets: [1, 5], registers }).observe(count);
  return registers[0]?.getMetricsAsJSON() ?? [];
}

test('several snapshots of counters make one with their sums [workers.metrics]', async () => {
  const snapshots = (await Promise.all([2, 3, 4].map(snapshotOf))).map(countersOf);
  const merged = await mergeSnapshots([await mergeSnapshots(snapshots.slice(0, 2)), ...snapshots.slice(2)]);
  expect(merged.map(({ name, values }) => [name, values.map(({ value }) => value)])).toEqual([
    ['words_total', [9]],
    ['wait', [0, 3, 3, 9, 3]],
  ]);
});

test('no counter falls, and no gauge stays, over many deaths [workers.metrics]', async () => {
  const metrics = new WorkerMetrics<number>(createVirtualClock());
  for (let worker = 1; worker <= 5; worker++) {
    const snapshot = await snapshotOf(2);
    const text = await metrics.read([worker], () => metrics.onMeasured(worker, snapshot));
    expect(text).toContain(`words_total{kind="said"} ${2 * worker}`);
    expect(text).toContain(`wait_count ${worker}`);
    expect(text).toContain('open 2');
    metrics.onGone(worker);
  }
});
