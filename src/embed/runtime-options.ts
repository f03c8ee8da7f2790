// The options of an embedded runtime: its configuration, with a default for the log.

import type { Metrics } from '../adapters/telemetry/metrics-contract.ts';
import type { Bus } from '../core/contracts/bus.ts';
import type { Log } from '../core/contracts/log.ts';
import type { RuntimeConfig } from '../core/runtime/config.ts';

export interface RuntimeOptions extends Omit<RuntimeConfig, 'log' | 'outsideAgents' | 'processes' | 'loadTelemetry'> {
  /** A SQLite file for the transcripts, made with its folder if it does not exist. Left out, as `log`: they are kept in memory, up to 256 MiB, and lost; see `createMemoryLog`. */
  readonly store?: string | undefined;
  /** A log of your own, instead of `store`. `close()` leaves it open. */
  readonly log?: Log | undefined;
  /**
   * The bus to the other hosts on the store: a session that one of them holds is used from here as one that is held here, instead of `held_elsewhere`. `close()`
   * leaves it open. Left out: this host has none.
   */
  readonly bus?: Bus | undefined;
  /** Stands for what the sessions are configured with: a host is not started beside living hosts of its bus that have another one. Left out: they are not compared. */
  readonly configuration?: string | undefined;
  /** Starts beside hosts of another `configuration` all the same: for the time of an update. Default: false. */
  readonly allowOtherConfiguration?: boolean | undefined;
  /** The metrics of this runtime, from `createMetrics`. Left out: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** Whether there are spans. Left out: as soon as an OpenTelemetry SDK is registered before the first session is opened. */
  readonly tracing?: boolean | undefined;
}
