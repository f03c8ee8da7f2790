// The parts that a worker of `belay serve --workers` gets from its parent, and the messages between the two. The store and the bus have messages of their own on the same channel.
import type { Server } from 'node:http';
import type { McpState } from '../adapters/mcp/api.ts';
import type { MetricsSnapshot } from '../adapters/telemetry/sum-metrics.ts';
import type { Log } from '../core/contracts/log.ts';
import type { HostDeath, Processes } from '../core/contracts/processes.ts';
import type { ClusterPart } from '../embed/start-runtime.ts';
import type { Config } from './settings.ts';
import type { ShownParts } from './shown-parts.ts';

/** The parts that a worker does not make itself. */
export interface WorkerParts {
  /** What a client has to show; null: nothing, or a token. */
  readonly key: string | null;
  /** Whether it is the first one of the start: one reports what all would report. */
  readonly isFirst: boolean;
  /** The bus between the workers. */
  readonly cluster: ClusterPart;
  readonly processes: Processes;
  /** Opens the store of the parent until the stack is disposed; null: each worker opens the database of the settings itself. */
  openLog(stack: AsyncDisposableStack): Log | null;
  /** Hands the server the connections that the parent accepts. */
  bind(server: Server): void;
  /** Registers the metrics of this process. Returns a function that resolves with those of all together. */
  shareMetrics(own: () => Promise<MetricsSnapshot>): () => Promise<string>;
}

export interface WorkerStart {
  readonly config: Config;
  readonly key: string | null;
  /** The secret of the bus between the workers. */
  readonly busKey: string;
  /** The number of its place, from 1. */
  readonly place: number;
  readonly isFirst: boolean;
}

/**
 * A message to a worker. `connection` comes with its socket. `close`: shut down. `rest`: the others have closed their sessions, or do not close. `measure`: send a snapshot of the metrics. `metrics`:
 * those of all; null: they cannot be read.
 */
export type ToWorker =
  | { readonly op: 'start'; readonly start: WorkerStart }
  | { readonly op: 'connection' | 'close' | 'force' | 'rest' | 'measure' }
  | { readonly op: 'metrics'; readonly text: string | null }
  | { readonly op: 'died'; readonly death: HostDeath };

/** What the parent shows of its workers: they are all alike. */
export interface WorkerFacts extends Pick<ShownParts, 'isScripted' | 'modelUrl' | 'tools' | 'agents'> {
  readonly roots: readonly string[];
  readonly servers: readonly McpState[];
}

/** A message from a worker. `left`: one of its connections has been closed. `failed`: its start has. `closing`: it shuts down. `rests`: it has closed its sessions. `scrape`: it wants the metrics of all. */
export type FromWorker =
  | { readonly op: 'ready'; readonly facts: WorkerFacts }
  | { readonly op: 'failed'; readonly problem: string }
  | { readonly op: 'measured'; readonly snapshot: MetricsSnapshot }
  | { readonly op: 'left' | 'closing' | 'rests' | 'scrape' };

/** A message on the channel: ours have this one field. */
export type WorkerMessage<T extends ToWorker | FromWorker> = { readonly belayWorker: T };
