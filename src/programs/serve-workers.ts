// Serves with several processes: this one has the port, the store, the key and the bus between the workers, which serve the clients.
import { createServer, type Socket } from 'node:net';
import { createChannelHub } from '../adapters/buses/channel-bus.ts';
import { listenOnPort } from '../adapters/servers/http-server.ts';
import { createStoreHub, type StoreHub } from '../adapters/stores/remote-log.ts';
import { startStoreThread } from '../adapters/stores/sqlite-thread.ts';
import { createSecret, systemSources } from '../core/sources/system.ts';
import { defaultLimits } from '../core/workers/session-limits.ts';
import { socketUrl } from '../gateway/http/listen.ts';
import { ConfigError } from './config-error.ts';
import type { OperationsLog } from './operations-log.ts';
import type { Config } from './settings.ts';
import { createClientAuth, leaveKey, type ServedGateway } from './start-gateway.ts';
import { parseStoreAddress } from './store-address.ts';
import { lockStore } from './transcript-file.ts';
import { WorkerFleet } from './worker-fleet.ts';
import type { WorkerFacts } from './worker-parts.ts';
import { forkWorker } from './worker-process.ts';

/** Time for a worker to exit after its work has stopped, in milliseconds. */
const closeGraceMs = 5_000;

/**
 * Starts the workers, and resolves with their gateway when it listens. Rejects if a setting is wrong or a worker cannot be started, and with the error of
 * `interrupted`. Everything that was started is closed before it rejects.
 */
export async function startWorkers(
  config: Config,
  interrupted: Promise<never>,
  log: OperationsLog,
): Promise<ServedGateway> {
  assertShareable(config);
  await using stack = new AsyncDisposableStack();
  const { key, authenticator } = await createClientAuth({ config, stack, log });
  const store = openStore(config, stack, log);
  const hub = createChannelHub();
  const { clock } = systemSources;
  const { shutdownMs = defaultLimits.shutdownMs } = config.limits;
  const fleet = new WorkerFleet({
    count: config.workers,
    start: { config, key, busKey: createSecret() },
    clock,
    fork: forkWorker,
    closeMs: 2 * shutdownMs + closeGraceMs,
    connect(child) {
      hub.connect(child);
      store?.connect(child);
    },
    warn: log.warn,
  });
  stack.defer(() => fleet.close());
  const facts = await Promise.race([interrupted, fleet.start()]);
  // as an HTTP server has its sockets; nothing is read here
  const options = { pauseOnConnect: true, noDelay: true, allowHalfOpen: true };
  const server = createServer(options, (socket: Socket) => fleet.assign(socket));
  const port = await listenOnPort(server, config.port, config.host, (error) =>
    log.warn('an unexpected exception', error),
  );
  stack.defer(() => void server.close());
  const shownKey = authenticator.key ?? null;
  const isKeyKnown = shownKey !== null && leaveKey(server, shownKey, stack, log.warn);
  await Promise.race([interrupted, null]); // an interruption by now closes the stack
  const running = stack.move();
  return {
    url: socketUrl(config.host, port, config.path),
    key: shownKey,
    isKeyKnown,
    parts: shownPartsOf(config, facts),
    isLocal: authenticator.kind === 'local',
    close: () => running.disposeAsync(),
    force: () => fleet.force(),
  };
}

/** Throws a `ConfigError` if the settings ask for what one process alone can do. */
function assertShareable({ workers, store, bus, stately, keys }: Config): void {
  const problem = [
    parseStoreAddress(store).kind === 'memory' && 'store is memory, which is that of one process. Name a file',
    bus !== undefined && 'bus is set, and a host of a cluster is one process. Start a host for each core',
    stately !== undefined && "stately is set, and Stately's inspector shows one process. Leave it out",
    keys.reach === 'host' && 'keys.reach is host, which is one process. Set it to session',
  ].find((text) => text !== false);
  if (problem === undefined) return;
  throw new ConfigError(`The setting workers is invalid: it is ${workers}, and ${problem}, or set workers to 1.`);
}

/** Opens the file of the settings until the stack is disposed; null: it is a database, which each worker opens itself. */
function openStore({ store }: Config, stack: AsyncDisposableStack, { warn }: OperationsLog): StoreHub | null {
  const address = parseStoreAddress(store);
  if (address.kind !== 'file') return null;
  lockStore(address.path, stack);
  const hub = createStoreHub(startStoreThread(address.path), (error) =>
    warn('The thread of the store has failed: nothing can be read or written any more. Restart the gateway.', error),
  );
  stack.defer(() => hub.close());
  return hub;
}

const shownPartsOf = (config: Config, facts: WorkerFacts): ServedGateway['parts'] => ({
  config: { ...config, roots: [...facts.roots] },
  isScripted: facts.isScripted,
  modelUrl: facts.modelUrl,
  stately: null,
  tools: facts.tools,
  agents: facts.agents,
  mcp: () => facts.servers,
});
