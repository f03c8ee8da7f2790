// The contract of the metrics: what an embedder gives, and what it gets.
import type { Registry } from 'prom-client';
import type { Observer } from '../../core/session/session-spec.ts';

export interface MetricsOptions {
  /** Where the metrics are registered. Left out: a registry of their own, so that two runtimes of a process do not meet. */
  readonly registry?: Registry | undefined;
  /** Whether the text has the metrics of the process as well: memory, CPU, event loop lag. Default: only without `registry`. */
  readonly processMetrics?: boolean | undefined;
}

/** What is counted somewhere else, and read when somebody scrapes. */
export type WatchedSize = 'sessions' | 'connections';

/** A value with its labels, as it is at a scrape. */
export type WatchedRow = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Series that are counted somewhere else, and read when somebody scrapes. */
export type WatchedSeries = 'storeFailures' | 'storeBytes' | 'refused' | 'busUp' | 'busMessages' | 'busQuestions';

/** The metrics of a runtime. */
export interface Metrics {
  /** For the `Content-Type` of the text. */
  readonly contentType: string;
  /** Feeds the metrics. `createRuntime({ metrics })` adds it to the observers. */
  readonly observer: Observer;
  /** Resolves with all metrics, in the text format of Prometheus. */
  text(): Promise<string>;
  /** Adds what `read` returns to the gauge of the sessions or connections. Returns a function that ends it. */
  watch(size: WatchedSize, read: () => number): () => void;
  /** Adds the rows that `read` returns to these series. */
  watchSeries(series: WatchedSeries, read: () => readonly WatchedRow[]): void;
}
