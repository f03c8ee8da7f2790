// The metrics that are counted somewhere else: they are read when somebody scrapes.
import { Counter, Gauge } from 'prom-client';
import type { MetricKey } from './metric-table.ts';
import type { WatchedRow, WatchedSeries } from './metrics-contract.ts';

type Read = () => readonly WatchedRow[];
type WatchedKey = WatchedSeries | 'activeSessions' | 'connections';

const kinds: Readonly<Record<WatchedKey, 'counter' | 'gauge'>> = {
  storeFailures: 'counter',
  refused: 'counter',
  storeBytes: 'gauge',
  busUp: 'gauge',
  busMessages: 'counter',
  busQuestions: 'counter',
  activeSessions: 'gauge',
  connections: 'gauge',
};

/** One reader may be there for each runtime and gateway: their rows add up. A key that nobody watches has no series, but for sizes, which are 0. */
export class WatchedMetrics {
  readonly #reads = new Map<MetricKey, Set<Read>>();

  has(key: MetricKey): key is WatchedKey {
    return Object.hasOwn(kinds, key);
  }

  /** Shows what `read` returns. Returns a function that ends it. */
  watch(key: WatchedKey, read: Read): () => void {
    const one = () => read(); // the same function may be watched twice
    const reads = this.#reads.get(key) ?? new Set();
    this.#reads.set(key, reads.add(one));
    return () => void reads.delete(one);
  }

  /** Makes the metric, in the registries of its configuration. */
  register(key: WatchedKey, common: ConstructorParameters<typeof Gauge>[0]): Counter | Gauge {
    const rows = () => [...(this.#reads.get(key) ?? [])].flatMap((read) => read());
    const isSize = key === 'activeSessions' || key === 'connections';
    const collect = function (this: Counter | Gauge) {
      this.reset();
      if (isSize) this.inc({}, 0);
      for (const [labels, value] of rows()) this.inc({ ...labels }, value);
    };
    const Metric = kinds[key] === 'counter' ? Counter : Gauge;
    // all processes of a gateway have the same files
    return new Metric({ ...common, collect, ...(key === 'storeBytes' && { aggregator: 'max' }) });
  }
}
