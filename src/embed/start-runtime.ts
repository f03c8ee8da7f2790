// Starts the runtime of a host: alone on its store, or as one of a cluster.
import type { ClusterOptions } from '../core/cluster/cluster-runtime.ts';
import type { Bus } from '../core/contracts/bus.ts';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import { createLocalRuntime } from '../core/runtime/runtime.ts';
import type { Runtime } from '../core/session/api.ts';

/** The bus of a host, and how it takes part in the cluster. */
export interface ClusterPart {
  readonly bus: Bus;
  readonly options: ClusterOptions;
}

/** Starts a runtime; in a cluster one that reaches the sessions of other hosts, too. Rejects as `createLocalRuntime` and `createClusterRuntime`. */
export async function startRuntime(config: RuntimeConfig, cluster: ClusterPart | null): Promise<Runtime> {
  if (!cluster) return createLocalRuntime(config);
  const { createClusterRuntime } = await import('../core/cluster/cluster-runtime.ts'); // no other host needs it
  return createClusterRuntime(config, cluster.bus, cluster.options);
}
