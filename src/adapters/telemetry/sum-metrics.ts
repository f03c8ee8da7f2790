// The metrics of several processes together: each gives a snapshot of its own, and one sums them.
import { AggregatorRegistry, Registry } from 'prom-client';
import { createRuntimeMetrics, type MetricsClock } from './metrics.ts';
import type { Metrics } from './metrics-contract.ts';

/** The metrics of a process at one moment: JSON. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Metrics that are summed with those of other processes. */
export interface SummedMetrics extends Metrics {
  snapshot(): Promise<MetricsSnapshot>;
}

/** Makes the metrics of a process, with those of the process itself. */
export function createSummedMetrics(clock: MetricsClock): SummedMetrics {
  const registry = new Registry();
  const metrics = createRuntimeMetrics({ registry, processMetrics: true }, clock);
  return Object.assign(metrics, {
    async snapshot() {
      await metrics.text(); // the first one adds those of the process
      return registry.getMetricsAsJSON();
    },
  });
}

/** Resolves with the metrics of all, in the text format of Prometheus. */
export const sumSnapshots = (snapshots: readonly MetricsSnapshot[]): Promise<string> =>
  AggregatorRegistry.aggregate([...snapshots]).metrics();

/** Resolves with one snapshot in place of several. */
export const mergeSnapshots = (snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> =>
  AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();

/** Returns what goes on to count when the process has ended: a counter that falls looks like a restart. */
export const countersOf = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
