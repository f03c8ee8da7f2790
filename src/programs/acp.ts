// `belay acp`: an agent of the Agent Client Protocol on stdin and stdout, with a runtime of its own in this process. The end of stdin is a shutdown.

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { ServerSlots } from '../adapters/mcp/server-slots.ts';
import { recordsFolder } from '../adapters/processes/host-record.ts';
import type { ToolSource } from '../core/contracts/tool-source.ts';
import { type SessionServers, shutdownMsOf } from '../core/runtime/config.ts';
import { createSecret, systemSources } from '../core/sources/system.ts';
import { printErrorLine, printWarning } from '../core/text/print-line.ts';
import { product } from '../core/text/product.ts';
import { AcpClientMachine } from '../doors/acp/acp-client-machine.ts';
import { AcpDoor } from '../doors/acp/acp-door.ts';
import { isAllowedServer } from '../doors/acp/opening-options.ts';
import { createRuntime, type EmbeddedRuntime } from '../embed/runtime.ts';
import { configFlags, configFrom } from './config.ts';
import { embeddedOptions } from './embedded-options.ts';
import { type Flags, readFlags } from './flags.ts';
import { runAsProgram } from './run-as-program.ts';
import { startRuntimeParts } from './runtime-parts.ts';
import { type ServerParts, serversOf } from './session-tools.ts';
import type { Config } from './settings.ts';
import { exitAfterShutdown, InterruptibleStart, StartInterrupted } from './signals.ts';

const usage = `belay acp              an agent for editors that speak the Agent Client Protocol (Zed, JetBrains, Neovim), on stdin and stdout

  --root FOLDER      a folder that clients may work in, and below it; may be repeated
  --store FILE       keep the sessions there (a file for each folder that it is started in; memory: do not)
  --allow TOOL, --approve TOOL, --demo, --config FILE and the environment: as for belay serve
  --help

Nothing but the protocol is written to stdout; problems go to stderr. The end of stdin, SIGTERM and Ctrl-C stop everything that runs,
and end the program. How an editor starts it: docs/how-to/acp.md.
`;

const { clock, ids } = systemSources;

/** Serves one client, until it closes stdin or a signal comes; then it exits the process. Rejects if the start fails. */
export async function acpCommand(args: readonly string[]): Promise<void> {
  const { values } = readFlags(args, configFlags);
  if (values['help']) return void process.stdout.write(usage);
  if (process.stdin.isTTY)
    printErrorLine('belay acp speaks the Agent Client Protocol, not to people: an editor starts it. Ctrl-C ends it.');
  const config = await configured(values);
  const start = new InterruptibleStart();
  const started = startAgent(config, start.interrupted);
  const stop = exitAfterShutdown(clock, {
    limitMs: 2 * shutdownMsOf(config),
    async shutDown() {
      start.interrupt();
      await (await started.catch(() => null))?.stack.disposeAsync(); // a start that has failed says so itself
    },
    force: () => void started.then(({ runtime }) => runtime.close({ force: true })).catch(() => {}),
  });
  process.stdout.on('error', stop); // nobody reads it any more
  process.stderr.on('error', () => {});
  try {
    const { agent } = await started;
    await agent.serve(process.stdin, process.stdout);
    stop();
  } catch (error) {
    if (!(error instanceof StartInterrupted)) throw error;
  }
}

interface StartedAgent {
  readonly agent: AcpDoor;
  readonly runtime: EmbeddedRuntime;
  /** Stops everything, and closes the parts. */
  readonly stack: AsyncDisposableStack;
}

async function startAgent(config: Config, interrupted: Promise<never>): Promise<StartedAgent> {
  await using stack = new AsyncDisposableStack();
  const key = config.key ? createSecret() : null;
  const machine = new AcpClientMachine();
  const { runtimeConfig, isScripted, stately } = await startRuntimeParts({
    configured: config,
    client: machine,
    stack,
    interrupted,
    key,
  });
  if (stately !== null) printErrorLine(`inspector: ${stately}`);
  if (isScripted && !config.demo)
    printErrorLine('(a script plays the model: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set)');
  const sessionServers = createClientServers(config, printWarning);
  const runtime = await createRuntime({ ...embeddedOptions(runtimeConfig), sessionServers });
  stack.defer(() => runtime.close());
  await Promise.race([interrupted, null]); // an interruption by now closes the stack
  const { mcpServers, contextTokens = null } = config.acp;
  const agent = new AcpDoor({
    runtime,
    clock,
    ids,
    allowed: { roots: config.roots, mcpServers },
    contextTokens,
    machine,
    version: product.version,
    warn: printWarning,
  });
  return { agent, runtime, stack: stack.move() };
}

/** Another client of the same folder may run: its sessions are in the store, so that those of this one are in memory. A store that was named is for the start to refuse. */
async function configured(values: Flags['values']): Promise<Config> {
  const { isStoreLocked } = await import('./transcript-file.ts');
  const store = storeOfFolder();
  const config = configFrom(values, process.env, { store });
  if (config.store !== store || !isStoreLocked(store)) return config;
  printWarning(
    'Another client runs in this folder: the sessions of this one are not kept. Another store: --store <file>.',
  );
  return { ...config, store: 'memory' };
}

/** Returns a function that makes the MCP servers that a session was opened with, as far as the setting `acp.mcpServers` allows them. It starts no server. */
function createClientServers(config: Config, warn: ServerParts['warn']): (brought: SessionServers) => ToolSource {
  const slots = new ServerSlots({ max: config.mcpSessionServers });
  return ({ session, servers, roots }) => {
    const allowed = Object.entries(servers).filter(([name]) => isAllowedServer(name, config.acp.mcpServers));
    return serversOf(session, { servers: Object.fromEntries(allowed), roots }, { config, slots, warn });
  };
}

/** The store of the folder that the program is started in: in the state folder of the user, so that nothing is written into a project. */
function storeOfFolder(): string {
  const folder = process.cwd();
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(dirname(recordsFolder()), 'acp', `${basename(folder)}-${hash}.sqlite`);
}

if (import.meta.main) await runAsProgram(acpCommand);
