// `belay serve` (`npm start`): puts a gateway together and runs it. The composition root: the only file of the commands that names adapters.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createRuntime, type EmbeddedRuntime } from '../embed/runtime.ts';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import { createJwtAuthenticator, type JwtKey, readJwtKeyFile } from '../gateway/auth/jwt.ts';
import { createLocalAuthenticator } from '../gateway/auth/local.ts';
import { readTokenFile } from '../gateway/auth/token-file.ts';
import { createGateway } from '../gateway/gateway.ts';
import { assertGuarded, listen } from '../gateway/listen.ts';
import { createInspector } from '../inspector/inspector.ts';
import type { McpState } from '../mcp/connected-servers.ts';
import { startMcpServers } from '../mcp/servers.ts';
import { createOpenAIProvider } from '../model/openai.ts';
import type { Provider } from '../model/provider.ts';
import type { AgentSpec } from '../runtime/config.ts';
import { systemSources } from '../sources/system.ts';
import { defaultBuiltinLimits } from '../tools/builtin/builtin-limits.ts';
import { builtinTools } from '../tools/builtin/builtin-tools.ts';
import { requireApprovals } from '../tools/require-approval.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import type { Tool } from '../tools/tool.ts';
import type { Log } from '../transcript/log.ts';
import { createMemoryLog } from '../transcript/memory.ts';
import { createSqliteLog } from '../transcript/sqlite.ts';
import { defaultLimits } from '../workers/session-limits.ts';
import { inSentences } from './command-failure.ts';
import { called } from './command-names.ts';
import { type Config, ConfigError, readConfig, usage } from './config.ts';
import { defaultUrl } from './default-address.ts';
import { exitOnSignal, Unwanted } from './signals.ts';
import { assertStore, holdStore } from './transcript-file.ts';

export interface Serving {
  readonly url: string;
  /** What a person is told who has started it. */
  readonly page: string;
  /** A shutdown; resolves when everything has stopped. */
  close(): Promise<void>;
  /** The shutdown under way skips the grace of what runs. */
  hurry(): void;
}

const openAIUrl = 'https://api.openai.com/v1';
const { clock, ids, random } = systemSources;

const agents: Readonly<Record<string, AgentSpec>> = {
  researcher: {
    description: 'Reads files and pages, and reports what matters.',
    instructions: 'You research. Read what the task asks for with your tools, and answer with a short report.',
    tools: ['read_file', 'list_files', 'fetch_url'],
  },
};

/** As long as nothing is to be stopped before it is there. */
const always = new Promise<never>(() => {});

/** Throws where something is wrong with the configuration, or with what `unwanted` rejects with; what had been started by then is ended. */
export async function serve(configured: Config, unwanted: Promise<never> = always): Promise<Serving> {
  await using starting = new AsyncDisposableStack();
  const authenticator = authenticatorOf(configured); // before anything is started: it may throw
  assertGuarded(configured.host, authenticator); // before the port is tried: even then nobody is let in
  await bindable(configured);
  const { runtime, ...assembled } = await assemble(configured, starting, unwanted);
  const gateway = createGateway({ runtime, sources: systemSources, authenticator, limits: configured.gateway });
  starting.defer(() => gateway.close());
  starting.defer(() => runtime.close()); // first: clients hear what was stopped
  const listening = await listen(gateway, configured);
  starting.defer(() => void listening.close());
  await Promise.race([unwanted, null]); // what was being started when that came is in the stack by now

  const running = starting.move();
  const { url } = listening;
  return {
    url,
    page: pageOf({ ...assembled, url, isLocal: authenticator.kind === 'local' }),
    close: () => running.disposeAsync(),
    hurry: () => void runtime.close({ force: true }),
  };
}

/** A runtime as the configuration says. */
export interface Assembled {
  readonly runtime: EmbeddedRuntime;
  /** With what a tour adds to it. */
  readonly config: Config;
  readonly isScripted: boolean;
  /** Where inspectors may connect. */
  readonly stately: string | null;
  /** The names of what the model is offered, the tools of MCP servers apart. */
  readonly tools: readonly string[];
  /** The names of those that it may hand tasks to. */
  readonly agents: readonly string[];
  readonly mcp: readonly McpState[];
}

/** What the runtime needs is closed with the stack; the runtime itself is the caller's to close, before that. Throws what `unwanted` rejects with. */
export async function assemble(
  configured: Config,
  starting: AsyncDisposableStack,
  unwanted: Promise<never>,
): Promise<Assembled> {
  const isScripted = configured.model.apiKey === undefined && configured.model.baseUrl === undefined;
  const config = isScripted ? await onTour(configured) : configured;
  const { shieldMs = defaultLimits.shieldMs } = config.limits;
  const tools = builtinTools({
    allowShell: config.allow.includes('shell'),
    allowCode: config.allow.includes('run_code'),
    allowWrites: config.allow.includes('write_file'),
    allowBrowser: config.allow.includes('browse'),
    allowAddresses: config.addresses,
    limits: { writeShieldMs: Math.min(defaultBuiltinLimits.writeShieldMs, shieldMs), ...config.builtin },
    ...(config.limits.termGraceMs !== undefined && { termGraceMs: config.limits.termGraceMs }),
  });
  const provider = await providerOf(config, starting);
  const log = await logOf(config, starting);
  const watched = config.stately === undefined ? null : await openToInspectors(config.stately, starting);
  const { policy, onDisconnect, interruptible } = config;
  const servers = startMcpServers({
    servers: config.mcpServers,
    clock,
    ids,
    ...(config.limits.termGraceMs !== undefined && { termGraceMs: config.limits.termGraceMs }),
    warn: (message) => console.error(`belay: ${message}`),
  });
  starting.defer(() => servers.close());
  const mcp = await Promise.race([unwanted, servers.connected]); // one that is mute keeps it waiting
  const offered = requireApprovals([...tools, ...mcp.tools()], config.approve);
  const helpers = { ...agents, ...config.agents };
  const runtime = await createRuntime({
    log,
    provider,
    tools: offered,
    toolTimeouts: timeoutsOf(config, offered),
    agents: helpers,
    roots: config.roots,
    session: () => ({ policy, onDisconnect, interruptible }),
    limits: config.limits,
    ...(config.instructions !== undefined && { instructions: config.instructions }),
    ...(watched && { inspector: watched.inspector }),
    sources: systemSources,
  });
  return {
    runtime,
    config,
    isScripted,
    stately: watched?.url ?? null,
    tools: [...tools.map(({ name }) => name), spawnAgent.name],
    agents: Object.keys(helpers),
    mcp: mcp.states(),
  };
}

async function logOf({ store }: Config, starting: AsyncDisposableStack): Promise<Log> {
  if (store === 'memory') return createMemoryLog();
  const path = resolve(store);
  holdStore(path, starting);
  const log = createSqliteLog({ path });
  starting.defer(() => log.close());
  await assertStore(log, path);
  return log;
}

/** Of the tools that there are: others may be off, or their server away. */
function timeoutsOf({ toolTimeouts }: Config, offered: readonly Tool[]): Readonly<Record<string, number>> {
  const names = new Set([...offered.map(({ name }) => name), spawnAgent.name]);
  return Object.fromEntries(Object.entries(toolTimeouts).filter(([name]) => names.has(name)));
}

/** A port that is taken is found out before the store is: the sessions of the gateway that has both are not to be taken from it. */
function bindable({ host, port }: Config): Promise<void> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `The port ${port} of ${host} is taken. Is a gateway running there already? Another one beside it needs a port and a store of its own: --port 0 --store <file>.`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken, { cause: error }) : error);
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

/** Closed behind the runtime: a shutdown can be watched too. */
async function openToInspectors(port: number, starting: AsyncDisposableStack) {
  const { startRelay } = await import('../inspector/relay.ts'); // with what it needs, only when it is asked for
  const inspector = createInspector({ clock });
  const relay = await startRelay({ inspector, port });
  starting.defer(() => relay.close());
  return { inspector, url: relay.url };
}

/** The scripted tour really runs its tools, in folders of its own. */
async function onTour(config: Config): Promise<Config> {
  if (!existsSync(new URL('scripted/', import.meta.url))) {
    throw new ConfigError('There is no model: set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of an endpoint.');
  }
  const { tourFiles } = await import('./scripted/tour.ts');
  const place = resolve(config.store === 'memory' ? '.belay' : dirname(config.store), 'tour');
  const folders = Object.entries(tourFiles).map(([name, files]) => {
    const folder = join(place, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return folder;
  });
  // what has been configured stands: no folder of somebody's is opened to more than was allowed
  const isOwn = config.roots.length === 0 && config.allow.length === 0;
  return {
    ...config,
    roots: [...folders, ...config.roots],
    allow: isOwn ? ['shell', 'run_code', 'write_file'] : config.allow,
  };
}

async function providerOf({ model }: Config, starting: AsyncDisposableStack): Promise<Provider> {
  const { baseUrl, apiKey = 'none', name } = model;
  if (model.apiKey !== undefined || baseUrl !== undefined) {
    return createOpenAIProvider({ baseURL: baseUrl ?? openAIUrl, apiKey, model: name, clock, random });
  }
  const { startScriptedEndpoint } = await import('./scripted/start.ts'); // of a checkout only
  const endpoint = await startScriptedEndpoint({ clock });
  starting.defer(() => endpoint.close());
  return createOpenAIProvider({ baseURL: endpoint.url, apiKey, model: 'scripted', clock, random });
}

function authenticatorOf({ tokens }: Config): Authenticator {
  const { file, jwtSecret, jwtKeyFile, jwtIssuer, jwtAudience } = tokens;
  const jwtKey: JwtKey | null =
    jwtSecret !== undefined
      ? { kind: 'secret', secret: jwtSecret }
      : jwtKeyFile !== undefined
        ? readJwtKeyFile(jwtKeyFile)
        : null;
  if (file !== undefined && jwtKey)
    throw new ConfigError('The setting tokens is not good: a token file or signed tokens, not both.');
  if (file !== undefined) return readTokenFile(file);
  if (!jwtKey) return createLocalAuthenticator();
  return createJwtAuthenticator({
    key: jwtKey,
    clock,
    ...(jwtIssuer !== undefined && { issuer: jwtIssuer }),
    ...(jwtAudience !== undefined && { audience: jwtAudience }),
  });
}

interface Told extends Omit<Assembled, 'runtime'> {
  readonly url: string;
  readonly isLocal: boolean;
}

function pageOf({ config, url, stately, isScripted, isLocal, tools, agents, mcp }: Told): string {
  const chat = url === defaultUrl ? called('chat') : called('chat', url);
  return [
    `Belay listens at ${url}`,
    '',
    isScripted
      ? '  model        SCRIPTED: a script plays the model, because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set'
      : `  model        ${config.model.name} at ${config.model.baseUrl ?? openAIUrl}`,
    `  tools        ${tools.join(', ')}`,
    `  agents       ${agents.join(', ')}`,
    ...mcp.map(({ name, tools, problem }) => `  MCP server   ${problem ?? `${name}: ${tools} tools`}`),
    `  folders      ${config.roots.length > 0 ? config.roots.join(', ') : 'none that tools may touch (--root)'}`,
    `  transcripts  ${config.store === 'memory' ? 'in memory' : resolve(config.store)}`,
    isLocal
      ? '  speakers     everybody on this machine is "local"; nobody else can connect'
      : '  speakers     by their tokens',
    ...(stately === null ? [] : [`  inspector    ${stately} for Stately's, on this machine only`]),
    '',
    'Talk to it in another terminal:',
    '',
    `  ${chat}`,
    '',
    ...(isScripted
      ? ['and say: research this and run the build', 'Ctrl-C there cancels it; Ctrl-C here shuts down.']
      : ['Ctrl-C there cancels a turn; Ctrl-C here shuts down.']),
  ].join('\n');
}

export async function serveCommand(args: readonly string[]): Promise<void> {
  const config = readConfig(args, process.env);
  if (!config) return void process.stdout.write(usage);
  const { promise: unwanted, reject } = Promise.withResolvers<never>();
  unwanted.catch(() => {}); // by then nobody may be waiting for it
  const starting = serve(config, unwanted).catch((error) => {
    if (error instanceof Unwanted) return null;
    throw error;
  });
  // before anything is there: what has been started is to be ended by a signal at any time
  exitOnSignal(clock, {
    async end() {
      console.log('Shutting down: stopping what runs. Again to force it.');
      reject(new Unwanted());
      const serving = await starting;
      await serving?.close();
    },
    hurry() {
      console.log('Forcing...');
      void starting.then((serving) => serving?.hurry());
    },
  });
  const serving = await starting;
  if (serving) console.log(serving.page);
}

if (import.meta.main) await inSentences(serveCommand);
