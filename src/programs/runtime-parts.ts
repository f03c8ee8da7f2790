// Makes the parts of a runtime from the settings: the composition root of its adapters, each of which is loaded only if the settings ask for it.

import { dirname, resolve } from 'node:path';
import { AcpAgents } from '../adapters/acp/acp-agents.ts';
import type { McpServers } from '../adapters/mcp/api.ts';
import { recordsFolder } from '../adapters/processes/host-record.ts';
import { systemProcesses } from '../adapters/processes/system-processes.ts';
import { storeFiles } from '../adapters/stores/store-files.ts';
import { defaultBuiltinLimits } from '../adapters/tools/builtin/builtin-limits.ts';
import { builtinTools } from '../adapters/tools/builtin/builtin-tools.ts';
import type { ClientMachine } from '../core/contracts/client-machine.ts';
import type { Log } from '../core/contracts/log.ts';
import type { Tool } from '../core/contracts/tool.ts';
import type { AgentSpec, RuntimeConfig } from '../core/runtime/config.ts';
import { loadFineClock, systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import { printWarning } from '../core/text/print-line.ts';
import { requireApprovals, requireApprovalsOf } from '../core/tools/require-approval.ts';
import { spawnAgent } from '../core/tools/spawn-agent.ts';
import { defaultLimits } from '../core/workers/session-limits.ts';
import { LateInspector } from '../inspector/late-inspector.ts';
import { secretFilesOf } from './bus-settings.ts';
import { mcpTokenFile } from './mcp-token-file.ts';
import { assertModel, isScripted as isModelScripted, modelUrlOf, startModelProvider } from './model-provider.ts';
import { modelOptionsOf } from './model-settings.ts';
import { hasOwnTools, rulesOfSession } from './session-settings.ts';
import type { createSessionTools, GatewayTools } from './session-tools.ts';
import type { Config } from './settings.ts';
import type { ShownParts } from './shown-parts.ts';
import { startWarnings } from './start-warnings.ts';
import { parseStoreAddress, type StoreAddress } from './store-address.ts';
import type { WorkerParts } from './worker-parts.ts';

const { clock, ids } = systemSources;

/** The agents of every runtime, beside those of the settings. */
const builtinAgents: Readonly<Record<string, AgentSpec>> = {
  researcher: {
    description: 'Reads files and pages, and reports what matters.',
    instructions: 'You research. Read what the task asks for with your tools, and answer with a short report.',
    tools: ['read_file', 'list_files', 'fetch_url'],
  },
};

export interface RuntimeParts extends ShownParts {
  readonly runtimeConfig: RuntimeConfig;
  /** Sees the runtime; a gateway hands out its records. */
  readonly inspector: LateInspector;
}

interface StartOptions {
  readonly configured: Config;
  /** The parts are closed with it: the runtime is for the caller to close, before that. */
  readonly stack: AsyncDisposableStack;
  /** What it rejects with interrupts the start. */
  readonly interrupted: Promise<never>;
  /** What inspectors have to show; null: nothing. */
  readonly key: string | null;
  /** Reports a problem. Default: on standard error. */
  readonly warn?: typeof printWarning;
  /** The machine of the only client. Left out: clients have none. */
  readonly client?: ClientMachine;
  /** The parts of a worker. Left out: this process is none. */
  readonly worker?: WorkerParts | undefined;
}

/** Starts the parts. Rejects if a part cannot be started, or with what `interrupted` rejects with. */
export async function startRuntimeParts(options: StartOptions): Promise<RuntimeParts> {
  const { configured, stack, key, warn = printWarning, client, worker } = options;
  assertModel(configured.model, configured.demo);
  const isScripted = isModelScripted(configured.model);
  const config = isScripted ? await withTour(configured) : configured;
  if (worker?.isFirst !== false) for (const warning of startWarnings(config, process.env)) warn(warning);
  const builtin = builtinToolsFor(config, client);
  const provider = await startModelProvider(config.model, stack);
  const log = worker?.openLog(stack) ?? (await openLog(config, stack));
  const inspector = new LateInspector(async () => ({ clock: await loadFineClock() }));
  const stately = config.stately === undefined ? null : await startRelayOf(inspector, config, key, stack);
  const mcp = await connectMcp(config, { ...options, log, warn });
  const tools = requireApprovals(builtin, config.approve);
  const toolSources = mcp ? [requireApprovalsOf(mcp, config.approve)] : [];
  const toolsOfSession = await loadSessionTools(config, { tools: builtin, toolSources: mcp ? [mcp] : [], warn });
  const agents = { ...builtinAgents, ...config.agents };
  const { stopPhrases, limits, roots, keys, instructions, prices } = config;
  const runtimeConfig: RuntimeConfig = {
    log,
    provider,
    tools,
    toolSources,
    approve: config.approve,
    agents,
    roots,
    keys,
    limits: worker ? { leaseMs: defaultLimits.leaseMs, ...limits } : limits, // the parent sees deaths at once
    sources: systemSources,
    protectedPaths: protectedPathsOf(config),
    toolTimeouts: timeoutsFor(config, tools, mcp),
    session: (id) => ({ stopPhrases, ...rulesOfSession(id, config), ...toolsOfSession?.(id) }),
    instructions,
    prices,
    modelChoices: config.model.choices,
    modelOptions: modelOptionsOf(config.model),
    outsideAgents: new AcpAgents(),
    processes: worker?.processes ?? systemProcesses,
    acknowledgement: config.acknowledgement,
    retentionDays: config.retentionDays,
    inspector,
  };
  return {
    runtimeConfig,
    config,
    inspector,
    isScripted,
    stately,
    modelUrl: modelUrlOf(config.model),
    tools: [...builtin.map(({ name }) => name), spawnAgent.name],
    agents: Object.keys(agents),
    mcp: () => mcp?.states() ?? [],
  };
}

/** Loads the tools of single sessions; null if no session has tools of its own. */
async function loadSessionTools(
  config: Config,
  gateway: GatewayTools,
): Promise<ReturnType<typeof createSessionTools> | null> {
  const isWanted = Object.values(config.sessions).some(hasOwnTools);
  return isWanted ? (await import('./session-tools.ts')).createSessionTools(config, gateway) : null;
}

async function withTour(config: Config): Promise<Config> {
  const { prepareTour } = await import('./tour.ts');
  return prepareTour(config);
}

function builtinToolsFor(
  { allow, addresses, builtin, limits, tools }: Config,
  client: ClientMachine | undefined,
): readonly Tool[] {
  const { shieldMs = defaultLimits.shieldMs, termGraceMs = defaultLimits.termGraceMs } = limits;
  return builtinTools({
    allowShell: allow.includes('shell'),
    allowCode: allow.includes('run_code'),
    allowWrites: allow.includes('write_file'),
    allowBrowser: allow.includes('browse'),
    user: tools.user,
    browserSandbox: tools.browserSandbox,
    allowAddresses: addresses,
    limits: { writeShieldMs: Math.min(defaultBuiltinLimits.writeShieldMs, shieldMs), ...builtin },
    termGraceMs,
    client,
  });
}

/** The files with secrets or transcripts of this gateway, and the folder in which gateways leave their keys and records. */
function protectedPathsOf(config: Config): readonly string[] {
  const { file, store, model, tokens, metricsTokenFile } = config;
  const secrets = [model.apiKeyFile, tokens.file, tokens.jwtSecretFile, tokens.jwtKeyFile, metricsTokenFile];
  const files = [file, ...secrets, ...secretFilesOf(config).map(([, path]) => path)];
  const address = parseStoreAddress(store);
  return [
    ...files.flatMap((path) => (typeof path === 'string' ? [resolve(path)] : [])),
    ...(address.kind === 'file' ? storeFiles(address.path) : []),
    resolve(mcpTokenFile(config)),
    dirname(recordsFolder()),
  ];
}

async function openLog({ store }: Config, stack: AsyncDisposableStack): Promise<Log> {
  const address = parseStoreAddress(store);
  if (address.kind === 'memory') {
    const { createMemoryLog } = await import('../adapters/stores/memory.ts');
    return createMemoryLog();
  }
  if (address.kind === 'file') {
    const { lockStore } = await import('./transcript-file.ts');
    lockStore(address.path, stack);
  }
  return openStoredLog(address, stack);
}

/** Opens the log in a file or a database, until the stack is disposed. Rejects if it cannot be used. */
export async function openStoredLog(
  address: Exclude<StoreAddress, { readonly kind: 'memory' }>,
  stack: AsyncDisposableStack,
): Promise<Log> {
  if (address.kind === 'postgres') {
    const { createPostgresLog } = await import('../adapters/stores/postgres/postgres.ts');
    const log = await createPostgresLog(address.options).catch((error: unknown) => {
      throw new Error(`The store ${address.name} cannot be used: ${errorText(error)}`, { cause: error });
    });
    stack.defer(() => log.close());
    return log;
  }
  const { path } = address;
  const { assertStore } = await import('./transcript-file.ts');
  const { createSqliteLog } = await import('../adapters/stores/sqlite.ts');
  const log = createSqliteLog({ path });
  stack.defer(() => log.close());
  await assertStore(log, path);
  return log;
}

/** Returns the address for Stately's inspector. The relay is closed after the runtime: inspectors see its shutdown. */
async function startRelayOf(
  late: LateInspector,
  { stately: port = 0, host, port: gatewayPort }: Config,
  key: string | null,
  stack: AsyncDisposableStack,
): Promise<string> {
  const name = host.includes(':') ? `[${host}]` : host;
  const ownPage = gatewayPort === 0 ? undefined : `http://${name}:${gatewayPort}/#/inspector/all`;
  const [inspector, { startRelay }] = await Promise.all([late.load(), import('../inspector/relay.ts')]);
  const relay = await startRelay({ inspector, port, key: key ?? undefined, ownPage });
  stack.defer(() => relay.close());
  return relay.pageAddress;
}

/** Starts the configured MCP servers; null if there are none. A server that is slower than `mcpReadyMs` is ready later. */
async function connectMcp(
  config: Config,
  { stack, interrupted, log, warn }: Pick<Required<StartOptions>, 'stack' | 'interrupted' | 'warn'> & { log: Log },
): Promise<McpServers | null> {
  const { mcpServers, mcpReadyMs, limits, roots } = config;
  if (Object.keys(mcpServers).length === 0) return null;
  systemProcesses.record(log.isVolatile !== true); // also while they start
  await Promise.race([interrupted, endLeftovers(limits, warn)]);
  const { startMcpServers } = await import('../adapters/mcp/servers.ts');
  const servers = startMcpServers({
    servers: mcpServers,
    clock,
    ids,
    termGraceMs: limits.termGraceMs,
    readyMs: mcpReadyMs,
    roots: roots.map((root) => resolve(root)),
    tokenFile: mcpTokenFile(config),
    warn,
  });
  stack.defer(() => servers.close());
  return Promise.race([interrupted, servers.connected]);
}

/**
 * Ends the servers of dead hosts: one that still runs may hold the files and ports of the one that starts. Their calls are ended by the recovery,
 * which records their end.
 */
async function endLeftovers(
  { termGraceMs = defaultLimits.termGraceMs, toolCancelMs: waitMs = defaultLimits.toolCancelMs }: Config['limits'],
  warn: typeof printWarning,
): Promise<void> {
  const ended = await systemProcesses.terminateLeftoversOfDeadHosts({ clock, termGraceMs, waitMs, only: 'host', warn });
  if (ended > 0) warn(`Processes that a dead host had left were ended: ${ended}.`);
}

/** Returns the timeouts of the tools that there are, or that may come: others may be off. */
function timeoutsFor(
  { toolTimeouts }: Config,
  tools: readonly Tool[],
  mcp: McpServers | null,
): Readonly<Record<string, number>> {
  const names = new Set([...tools.map(({ name }) => name), spawnAgent.name]);
  return Object.fromEntries(Object.entries(toolTimeouts).filter(([name]) => names.has(name) || mcp?.mayHave(name)));
}
