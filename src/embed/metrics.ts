// Makes the metrics of an embedder. prom-client is loaded here, and not before.

import type { Metrics, MetricsOptions } from '../adapters/telemetry/metrics-contract.ts';
import { systemSources } from '../core/sources/system.ts';
import { assertOptions } from '../core/text/option-names.ts';

/**
 * Resolves with the metrics for one runtime: give them to `createRuntime({ metrics })`, and answer a scrape with `await metrics.text()`.
 *
 * @throws `RangeError` if an option is unknown.
 */
export async function createMetrics(options: MetricsOptions = {}): Promise<Metrics> {
  assertOptions('createMetrics', options, { registry: 'object', processMetrics: 'boolean' });
  const { createRuntimeMetrics } = await import('../adapters/telemetry/metrics.ts');
  return createRuntimeMetrics(options, systemSources.clock);
}
