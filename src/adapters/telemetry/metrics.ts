// The metrics of a runtime, in the format of Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type LabelValues, Registry } from 'prom-client';
import type { Observer } from '../../core/session/session-spec.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { CountedFacts } from './counted-facts.ts';
import { type MetricKey, type MetricRow, type MetricSink, metricTable } from './metric-table.ts';
import type { Metrics, MetricsOptions, WatchedSize } from './metrics-contract.ts';
import { OpenNodes } from './open-nodes.ts';
import { WatchedMetrics } from './watched-metrics.ts';

/** A timer for what is counted later. */
export type MetricsClock = Pick<Clock, 'after'>;

/** From a notification to its count, in milliseconds. */
const countAfterMs = 50;

/** What an observer was notified of. */
type Kept = (nodes: OpenNodes) => void;

/** Makes the metrics on a registry of their own, or on that of the embedder. */
export function createRuntimeMetrics(options: MetricsOptions, clock: MetricsClock): Metrics {
  return new RuntimeMetrics(options, clock);
}

class RuntimeMetrics implements Metrics, MetricSink {
  readonly contentType: string;
  /** It keeps what it is notified of, which a timer counts, or a scrape that comes first: no stop waits for its own counting. */
  readonly observer: Observer = {
    fact: (...given) => this.#keep((nodes) => nodes.fact(...given)),
    ended: (end) => this.#keep((nodes) => nodes.ended(end)),
    voice: (_session, event) => this.#keep(() => this.#counted.voice(event)),
  };
  readonly #clock: MetricsClock;
  readonly #counted = new CountedFacts(this);
  readonly #nodes: OpenNodes;
  #kept: Kept[] = [];
  readonly #registry: Registry;
  readonly #counters = new Map<MetricKey, Counter>();
  readonly #histograms = new Map<MetricKey, Histogram>();
  readonly #watched = new WatchedMetrics();
  readonly watchSeries: Metrics['watchSeries'] = (...watched) => void this.#watched.watch(...watched);
  /** Whether the metrics of the process are still to be added. They have timers, so a process that nobody scrapes has none. */
  #needsProcess: boolean;

  constructor({ registry, processMetrics = registry === undefined }: MetricsOptions, clock: MetricsClock) {
    this.#clock = clock;
    this.#registry = registry ?? new Registry();
    this.#needsProcess = processMetrics;
    this.contentType = this.#registry.contentType;
    this.#nodes = new OpenNodes([this.#counted]);
    for (const key of Object.keys(metricTable) as MetricKey[]) this.#register(key, metricTable[key]); // keys: of the table
  }

  add(key: MetricKey, labels: LabelValues<string>, value = 1): void {
    this.#counters.get(key)?.inc(labels, value);
  }

  observe(key: MetricKey, labels: LabelValues<string>, seconds: number): void {
    this.#histograms.get(key)?.observe(labels, Math.max(0, seconds));
  }

  watch(size: WatchedSize, read: () => number): () => void {
    return this.#watched.watch(size === 'sessions' ? 'activeSessions' : 'connections', () => [[{}, read()]]);
  }

  #keep(pass: Kept): void {
    if (this.#kept.length === 0) this.#clock.after(countAfterMs, () => this.#count());
    this.#kept.push(pass);
  }

  #count(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const pass of kept) pass(this.#nodes);
  }

  text(): Promise<string> {
    if (this.#needsProcess) this.#addProcessMetrics();
    this.#needsProcess = false;
    return this.#registry.metrics();
  }

  #addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
    // gauges with the name of a counter: each is the sum of one that stays
    for (const name of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }

  #register(key: MetricKey, row: MetricRow): void {
    const { kind, name, help, buckets = [] } = row;
    const common = {
      name,
      help,
      labelNames: [...row.labels],
      registers: [this.#registry],
      collect: () => this.#count(),
    };
    if (this.#watched.has(key)) this.#watched.register(key, common);
    else if (kind === 'counter') this.#counters.set(key, new Counter(common));
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
    this.#count();
    const count = (match: (node: { kind: string; isWaiting: boolean }) => boolean) =>
      [...this.#nodes.values()].filter(match).length;
    switch (key) {
      case 'activeTurns':
        return [
          [{ state: 'waiting' }, count(({ kind, isWaiting }) => kind === 'turn' && isWaiting)],
          [{ state: 'running' }, count(({ kind, isWaiting }) => kind === 'turn' && !isWaiting)],
        ];
      case 'activeCalls':
        return [[{}, count(({ kind }) => kind !== 'turn')]];
      default:
        return [];
    }
  }
}
