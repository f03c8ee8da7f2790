// The metrics of a runtime, in the format of Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type LabelValues, Registry } from 'prom-client';
import type { Clock } from '../../core/sources/sources.ts';
import { CountedFacts } from './counted-facts.ts';
import { type MetricKey, type MetricRow, type MetricSink, metricTable } from './metric-table.ts';
import type { Metrics, MetricsOptions, WatchedSize } from './metrics-contract.ts';
import { OpenNodes } from './open-nodes.ts';

/** Makes the metrics on a registry of their own, or on that of the embedder. `clock`: that of the runtime. */
export function createMetrics(options: MetricsOptions, clock: Pick<Clock, 'now'>): Metrics {
  return new RuntimeMetrics(options, clock);
}

class RuntimeMetrics implements Metrics, MetricSink {
  readonly contentType: string;
  readonly observer: OpenNodes;
  readonly #registry: Registry;
  readonly #counters = new Map<MetricKey, Counter>();
  readonly #histograms = new Map<MetricKey, Histogram>();
  readonly #sizes: Readonly<Record<WatchedSize, Set<() => number>>> = { sessions: new Set(), connections: new Set() };
  /** Whether the metrics of the process are still to be added. They have timers, so a process that nobody scrapes has none. */
  #needsProcess: boolean;

  constructor({ registry, processMetrics = registry === undefined }: MetricsOptions, clock: Pick<Clock, 'now'>) {
    this.#registry = registry ?? new Registry();
    this.#needsProcess = processMetrics;
    this.contentType = this.#registry.contentType;
    this.observer = new OpenNodes([new CountedFacts(this, clock)]);
    for (const key of Object.keys(metricTable) as MetricKey[]) this.#register(key, metricTable[key]); // keys: of the table
  }

  add(key: MetricKey, labels: LabelValues<string>, value = 1): void {
    this.#counters.get(key)?.inc(labels, value);
  }

  observe(key: MetricKey, labels: LabelValues<string>, seconds: number): void {
    this.#histograms.get(key)?.observe(labels, Math.max(0, seconds));
  }

  watch(size: WatchedSize, read: () => number): () => void {
    const one = () => read(); // the same function may be watched twice
    this.#sizes[size].add(one);
    return () => void this.#sizes[size].delete(one);
  }

  text(): Promise<string> {
    if (this.#needsProcess) collectDefaultMetrics({ register: this.#registry });
    this.#needsProcess = false;
    return this.#registry.metrics();
  }

  #register(key: MetricKey, row: MetricRow): void {
    const { kind, name, help, buckets = [] } = row;
    const common = { name, help, labelNames: [...row.labels], registers: [this.#registry] };
    if (kind === 'counter') this.#counters.set(key, new Counter(common));
    else if (kind === 'histogram') this.#histograms.set(key, new Histogram({ ...common, buckets: [...buckets] }));
    else this.#registerGauge(key, common);
  }

  /** Gauges are read when somebody scrapes: nothing is to be kept in step. */
  #registerGauge(key: MetricKey, common: ConstructorParameters<typeof Gauge>[0]): void {
    const read = () => this.#read(key);
    const gauge = new Gauge({
      ...common,
      registers: [],
      collect() {
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
    this.#registry.registerMetric(gauge);
  }

  #read(key: MetricKey): readonly (readonly [LabelValues<string>, number])[] {
    const count = (match: (node: { kind: string; isWaiting: boolean }) => boolean) =>
      [...this.observer.values()].filter(match).length;
    const sum = (size: WatchedSize) => [...this.#sizes[size]].reduce((total, read) => total + read(), 0);
    switch (key) {
      case 'activeTurns':
        return [
          [{ state: 'waiting' }, count(({ kind, isWaiting }) => kind === 'turn' && isWaiting)],
          [{ state: 'running' }, count(({ kind, isWaiting }) => kind === 'turn' && !isWaiting)],
        ];
      case 'activeCalls':
        return [[{}, count(({ kind }) => kind !== 'turn')]];
      case 'activeSessions':
        return [[{}, sum('sessions')]];
      case 'connections':
        return [[{}, sum('connections')]];
      default:
        return [];
    }
  }
}
