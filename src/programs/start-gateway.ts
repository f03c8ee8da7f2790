// Starts a gateway with its runtime from the settings: the composition root of the gateway.
import { statSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Metrics, WatchedRow } from '../adapters/telemetry/metrics-contract.ts';
import type { SummedMetrics } from '../adapters/telemetry/sum-metrics.ts';
import { loadOnce } from '../core/collections/load-once.ts';
import type { Bus } from '../core/contracts/bus.ts';
import type { Log } from '../core/contracts/log.ts';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import { createLocalRuntime } from '../core/runtime/runtime.ts';
import type { Runtime } from '../core/session/api.ts';
import type { Clock } from '../core/sources/sources.ts';
import { createSecret, keepAlive, systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import type { SpokenRooms } from '../embed/spoken-rooms.ts';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import type { JwtKey } from '../gateway/auth/jwt-key.ts';
import { createLocalAuthenticator } from '../gateway/auth/local.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import { assertGuarded, listen } from '../gateway/http/listen.ts';
import type { MetricsSource } from '../gateway/http/metrics-route.ts';
import type { HttpRoute } from '../gateway/http/route.ts';
import { keyFilesOf, removeKeyFiles, writeKeyFiles } from '../gateway/key-file.ts';
import { OperationsLog } from './operations-log.ts';
import { type RuntimeParts, startRuntimeParts } from './runtime-parts.ts';
import type { Config } from './settings.ts';
import type { ShownParts } from './shown-parts.ts';
import { parseStoreAddress } from './store-address.ts';
import type { WorkerParts } from './worker-parts.ts';

/** What is shown of a gateway that listens. */
export interface ShownGateway {
  /** The address without the key. */
  readonly url: string;
  /** What a client has to show; null: nothing, or a token. */
  readonly key: string | null;
  /** Whether clients of this user find the key by themselves. */
  readonly isKeyKnown: boolean;
  readonly parts: ShownParts;
  /** Whether it knows one local speaker, instead of tokens. */
  readonly isLocal: boolean;
}

/** A gateway in this process, or in its workers. */
export interface ServedGateway extends ShownGateway {
  /** Shuts down; resolves when everything has stopped. */
  close(): Promise<void>;
  /** Skips the grace of the shutdown under way. */
  force(): void;
  /** Gives the sessions of this host to the others of its cluster, for `bus.drainMs`. Resolves when it can be closed. Left out: it is in none. */
  drain?(): Promise<void>;
}

export interface RunningGateway extends ServedGateway {
  readonly parts: RuntimeParts;
}

type Warn = OperationsLog['warn'];

/** A start that nothing interrupts. */
const never = new Promise<never>(() => {});

/**
 * Starts the parts and resolves with the gateway when it listens. Rejects if a setting is wrong or a part cannot be started, and with the error of
 * `interrupted`. Every part that was started is closed before it rejects. `onDrainAsked`: see `ClusterOptions`.
 */
export async function startConfiguredGateway(
  config: Config,
  interrupted: Promise<never> = never,
  log = new OperationsLog('off'),
  worker?: WorkerParts,
  onDrainAsked?: () => void,
): Promise<RunningGateway> {
  await using stack = new AsyncDisposableStack();
  const { key, authenticator } = await createClientAuth({ config, stack, log }, worker);
  // with tokens not every process of this machine may see all sessions: inspectors then need a key in any case
  const inspectorKey = key ?? (authenticator.kind === 'tokens' ? createSecret() : null);
  const { warn, observer } = log;
  const parts = await startRuntimeParts({ configured: config, stack, interrupted, key: inspectorKey, warn, worker });
  const cluster =
    worker?.cluster ??
    (config.bus ? await (await import('./cluster-parts.ts')).openBus(config, stack, onDrainAsked) : null);
  const metrics = lateMetrics(worker, () => ({
    gateway,
    log: parts.runtimeConfig.log,
    storeBytes: () => bytesOfStore(config.store),
    bus: cluster?.bus,
  }));
  const speech = await loadSpeech(config, parts.runtimeConfig, { stack, warn });
  const ownConfig: RuntimeConfig = {
    ...parts.runtimeConfig,
    modelErrors: authenticator.kind === 'tokens' ? 'withheld' : 'shown', // without tokens everybody is the operator
    observers: [observer],
    warn,
    loadTelemetry: loadTelemetryWith(metrics),
  };
  const runtimeConfig = speech?.configure(ownConfig) ?? ownConfig;
  const runtime: Runtime = cluster
    ? await (await import('../embed/start-runtime.ts')).startRuntime(runtimeConfig, cluster)
    : await createLocalRuntime(runtimeConfig);
  speech?.serve(runtime);
  const gateway = createGateway({
    runtime,
    sources: systemSources,
    authenticator,
    limits: config.gateway,
    report: (error) => warn('an unexpected exception', error),
    inspector: parts.inspector,
    onRefusal: (refusal) => log.note(({ refusalLine }) => refusalLine(refusal)),
  });
  stack.defer(() => gateway.close());
  stack.defer(() => runtime.close()); // before the gateway: clients receive what was stopped
  const listening = await listen(gateway, {
    ...config,
    routes: await doorRoutesOf(config),
    metrics: sourceOf(metrics, config.metricsToken, worker),
    isScripted: parts.isScripted,
    bind: worker?.bind,
  });
  stack.defer(() => void listening.close());
  const shownKey = authenticator.key ?? null;
  const isKeyKnown = shownKey !== null && !worker && leaveKey(listening.server, shownKey, stack, warn);
  await Promise.race([interrupted, null]); // an interruption by now closes the stack
  const running = stack.move();
  return {
    url: listening.url,
    key: shownKey,
    isKeyKnown,
    parts,
    isLocal: authenticator.kind === 'local',
    close: () => closeParts(running),
    force: () => void runtime.close({ force: true }),
    drain: () => drainHost(gateway, runtime, config),
  };
}

async function closeParts(running: AsyncDisposableStack): Promise<void> {
  const release = keepAlive(); // the timers of a stop do not keep the process alive
  await running.disposeAsync().finally(release);
}

/** Loads what serves the voice sessions of a model that hears and speaks; null: the model writes. */
async function loadSpeech(
  { model }: Config,
  { provider }: RuntimeConfig,
  { stack, warn }: { readonly stack: AsyncDisposableStack; readonly warn: Warn },
): Promise<SpokenRooms | null> {
  if (model.api !== 'realtime') return null;
  const { loadSpokenRooms } = await import('../embed/start-runtime.ts');
  const speech = await loadSpokenRooms(provider, { clock: systemSources.clock, warn });
  stack.defer(() => speech?.close());
  return speech;
}

/**
 * Makes what clients have to show. A worker uses the key of its parent, which has checked the port. Rejects if a file cannot be used, if anybody who reaches the port could connect, or if the port
 * is taken.
 */
export async function createClientAuth(
  { config, stack, log }: ClientAuthParts,
  worker?: Pick<WorkerParts, 'key'>,
): Promise<{ readonly key: string | null; readonly authenticator: Authenticator }> {
  const ownKey = config.key ? createSecret() : null;
  const key = worker ? worker.key : ownKey;
  const authenticator = await createAuthenticator({
    config,
    key,
    clock: systemSources.clock,
    stack,
    log: worker ? null : log,
  }); // first: it may throw before anything is started
  if (worker) return { key, authenticator };
  assertGuarded(config.host, authenticator); // before the port is opened, even for the probe
  await assertPortIsFree(config);
  return { key, authenticator };
}

/** Gives the sessions of this host to the others. Resolves when it can be closed. */
async function drainHost(gateway: Gateway, runtime: Runtime, { bus }: Config): Promise<void> {
  gateway.drain();
  await runtime.drain?.(bus?.drainMs ?? 0);
}

/** Loads the doors that are configured. */
async function doorRoutesOf({ doors, tokens }: Config): Promise<readonly HttpRoute[]> {
  return doors.length === 0 ? [] : (await import('../doors/door-routes.ts')).loadDoorRoutes(doors, tokens);
}

interface MeasuredParts {
  readonly gateway: Pick<Gateway, 'size' | 'refusals'>;
  readonly log: Log;
  /** Returns the sizes of the store's files. */
  storeBytes(): readonly WatchedRow[];
  readonly bus: Bus | undefined;
}

function bytesOfStore(store: string): readonly WatchedRow[] {
  if (parseStoreAddress(store).kind !== 'file') return [];
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return [
    [{ file: 'main' }, bytesOf(store)],
    [{ file: 'wal' }, bytesOf(`${store}-wal`)],
  ];
}

type LateMetrics = Metrics & Partial<Pick<SummedMetrics, 'snapshot'>>;

const loadMetrics = async (): Promise<Metrics> =>
  (await import('../adapters/telemetry/metrics.ts')).createRuntimeMetrics({}, systemSources.clock);

const loadSummedMetrics = async (): Promise<SummedMetrics> =>
  (await import('../adapters/telemetry/sum-metrics.ts')).createSummedMetrics(systemSources.clock);

/** Returns a function that resolves with the metrics: they are loaded with the first session, or the first scrape. */
function lateMetrics(worker: WorkerParts | undefined, measured: () => MeasuredParts): () => Promise<LateMetrics> {
  return loadOnce(async () => {
    const metrics: LateMetrics = await (worker ? loadSummedMetrics() : loadMetrics());
    metrics.watch('connections', () => measured().gateway.size);
    metrics.watchSeries('refused', () =>
      measured().gateway.refusals.map(({ door, code, count }) => [{ door, code }, count]),
    );
    metrics.watchSeries('storeFailures', () => [[{}, measured().log.failures ?? 0]]);
    metrics.watchSeries('storeBytes', () => measured().storeBytes());
    const { bus } = measured();
    if (bus) (await import('./cluster-parts.ts')).watchBus(metrics, bus);
    return metrics;
  });
}

/** Returns the source of the replies to `GET /metrics`: at a worker the metrics of all. */
function sourceOf(
  load: () => Promise<LateMetrics>,
  token: string | null,
  worker: WorkerParts | undefined,
): MetricsSource {
  const readOwn = async () => (await load()).text();
  const readText = worker?.shareMetrics(async () => (await load()).snapshot?.() ?? []) ?? readOwn;
  return {
    token,
    read: async () => ({ text: await readText(), contentType: (await load()).contentType }),
  };
}

const loadTelemetryWith =
  (metrics: () => Promise<Metrics>): RuntimeConfig['loadTelemetry'] =>
  async (countSessions) => {
    const { loadTelemetry } = await import('../adapters/telemetry/load-telemetry.ts');
    return loadTelemetry({ metrics: await metrics(), clock: systemSources.clock, countSessions });
  };

/** Leaves the key for clients of this user until the stack is disposed. Returns whether it could. */
export function leaveKey(
  server: Pick<Server, 'address'>,
  key: string,
  stack: AsyncDisposableStack,
  warn: Warn,
): boolean {
  const files = keyFilesOf(server.address() as AddressInfo); // it listens on a port
  try {
    writeKeyFiles(files, key);
    stack.defer(() => removeKeyFiles(files, key));
    return true;
  } catch (error) {
    warn(`The key cannot be left for clients: ${errorText(error)}. Give them the whole address.`);
    return false;
  }
}

/** Rejects if the port is taken. Called before the store is opened: a gateway that has both must keep its sessions. */
function assertPortIsFree({ host, port }: Config): Promise<void> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `The port ${port} of ${host} is taken. Is a gateway running there already? A second one needs a port and a store of its own: --port 0 --store <file>.`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken, { cause: error }) : error);
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

interface ClientAuthParts {
  readonly config: Config;
  /** Closes what was opened for it. */
  readonly stack: AsyncDisposableStack;
  readonly log: OperationsLog;
}

interface AuthenticatorParts extends Omit<ClientAuthParts, 'log'> {
  /** The key of this start, which counts without tokens; null: none is needed. */
  readonly key: string | null;
  readonly clock: Clock;
  /** Reports changes of the token file; null: another process does. */
  readonly log: OperationsLog | null;
}

/**
 * Creates the authenticator that the settings ask for: a token file, signed tokens, or, without either, one local speaker with the key of this start. Rejects
 * if a file cannot be used.
 */
async function createAuthenticator({ config, key, clock, stack, log }: AuthenticatorParts): Promise<Authenticator> {
  const { tokens } = config;
  const { file, jwtSecret, jwtKeyFile } = tokens;
  const isSigned = jwtSecret !== undefined || jwtKeyFile !== undefined;
  if (file !== undefined) {
    const { WatchedTokenFile } = await import('../gateway/auth/watched-token-file.ts');
    const watched = new WatchedTokenFile({
      path: file,
      clock,
      onChange: (changes) => log?.note(({ tokensLine }) => tokensLine(changes)),
      onProblem: ({ message }) => log?.warn(`${message} The tokens that were read before count on.`),
    });
    stack.defer(() => watched.close());
    return watched;
  }
  return isSigned ? jwtAuthenticatorFor(tokens, clock) : createLocalAuthenticator(undefined, key ?? undefined);
}

async function jwtAuthenticatorFor(tokens: Config['tokens'], clock: Clock): Promise<Authenticator> {
  const { jwtSecret, jwtKeyFile = '', jwtIssuer, jwtAudience } = tokens;
  const { createJwtAuthenticator } = await import('../gateway/auth/jwt.ts');
  const { readJwtKeyFile } = await import('../gateway/auth/jwt-key.ts');
  const key: JwtKey = jwtSecret === undefined ? readJwtKeyFile(jwtKeyFile) : { kind: 'secret', secret: jwtSecret };
  return createJwtAuthenticator({
    key,
    clock,
    issuer: jwtIssuer,
    audience: jwtAudience,
  });
}
