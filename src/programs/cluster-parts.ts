// The parts of a host in a cluster: its bus, and its runtime over it.
import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { Metrics } from '../adapters/telemetry/metrics-contract.ts';
import type { Bus } from '../core/contracts/bus.ts';
import type { ClusterPart } from '../embed/start-runtime.ts';
import { ConfigError } from './config-error.ts';
import { readSecretFile } from './secret-file.ts';
import type { Config } from './settings.ts';

const keyPattern = /^\S{32,}$/;

/** Connects to the bus of the settings, until the stack is disposed; null: there is none. `onDrainAsked`: see `ClusterOptions`. Rejects with an error that names the setting or the servers, and shows no secret. */
export async function openBus(
  config: Config,
  stack: AsyncDisposableStack,
  onDrainAsked?: () => void,
): Promise<ClusterPart | null> {
  if (!config.bus) return null;
  const { keyFile = '', allowOtherConfiguration, drainMs: _, ...connection } = config.bus;
  const key = readSecretFile('bus.keyFile', keyFile);
  if (!keyPattern.test(key))
    throw new ConfigError(
      'The setting bus.keyFile is invalid: the file must hold a key of at least 32 characters, without spaces.',
    );
  const { createNatsBus } = await import('../adapters/buses/nats-bus.ts');
  const bus = await createNatsBus({ ...connection, key });
  stack.defer(() => bus.close());
  const label = config.port === 0 ? hostname() : `${hostname()}:${config.port}`;
  return {
    bus,
    options: { configuration: configurationOf(config, key), allowOtherConfiguration, label, onDrainAsked },
  };
}

/** Settings of the gateway of one host: it may be another one on each host. */
const ownSettings: readonly (keyof Config)[] = [
  'file',
  'host',
  'port',
  'path',
  'origins',
  'trustedProxies',
  'store',
  'retentionDays',
  'log',
  'key',
  'tokens',
  'metricsTokenFile',
  'metricsToken',
  'mcpReadyMs',
  'mcpSessionServers',
  'doors',
  'acp',
  'stately',
  'gateway',
  'bus',
];

/** Returns what stands for the settings of sessions: equal where they are equal. It shows nothing of them to whoever has not the key. */
export function configurationOf(config: Config, key: string): string {
  const { apiKey: _, apiKeyFile: __, ...model } = config.model;
  const own = new Set<string>(ownSettings);
  const shared = Object.entries({ ...config, model }).filter(([name]) => !own.has(name));
  const text = JSON.stringify(Object.fromEntries(shared), withSortedFields);
  return createHmac('sha256', key).update(text).digest('hex');
}

const withSortedFields = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Adds what the bus has carried to the metrics. */
export function watchBus(metrics: Metrics, bus: Bus): void {
  metrics.watchSeries('busUp', () => [[{}, bus.state === 'up' ? 1 : 0]]);
  metrics.watchSeries('busMessages', () => {
    const { sent = 0, received = 0, dropped = 0 } = bus.counts ?? {};
    return Object.entries({ sent, received, dropped }).map(([direction, count]) => [{ direction }, count] as const);
  });
  metrics.watchSeries('busQuestions', () =>
    Object.entries(bus.counts?.asked ?? {}).map(([reply, count]) => [{ reply }, count] as const),
  );
}
