// Starts the runtime of a host: alone on its store, or as one of a cluster, and with a model that writes or one that speaks.
import type { ClusterOptions } from '../core/cluster/cluster-runtime.ts';
import type { Bus } from '../core/contracts/bus.ts';
import type { Provider } from '../core/contracts/provider.ts';
import { isSpeechModel } from '../core/contracts/speech-model.ts';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import { createLocalRuntime } from '../core/runtime/runtime.ts';
import type { Runtime } from '../core/session/api.ts';
import type { SpokenRooms, SpokenRoomsOptions } from './spoken-rooms.ts';

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

/** Loads what serves the voice sessions of a model that hears and speaks; null: the model writes. */
export async function loadSpokenRooms(provider: Provider, options: SpokenRoomsOptions): Promise<SpokenRooms | null> {
  if (!isSpeechModel(provider)) return null;
  const { SpokenRooms } = await import('./spoken-rooms.ts'); // no other host needs it
  return new SpokenRooms(provider, options);
}
