// `belay mcp-server`: the agents of the configuration as tools of an MCP server on stdio, with a runtime of its own. The end of its input is a shutdown.
import { shutdownMsOf } from '../core/runtime/config.ts';
import { createLocalRuntime } from '../core/runtime/runtime.ts';
import { createSecret, keepAlive, systemSources } from '../core/sources/system.ts';
import { printBug as report } from '../core/text/print-line.ts';
import type { DoorSettings } from '../doors/door-turns/door-profiles.ts';
import { onOutputClosed } from './closed-output.ts';
import { configFlags, configFrom } from './config.ts';
import { withoutAcknowledgements } from './embedded-options.ts';
import { readFlags } from './flags.ts';
import { runAsProgram } from './run-as-program.ts';
import { startRuntimeParts } from './runtime-parts.ts';
import type { Config } from './settings.ts';
import { exitAfterShutdown, InterruptibleStart, StartInterrupted } from './signals.ts';

const usage = `belay mcp-server       an MCP server on stdio: a tool for each agent, for Claude Code, Codex and others

  --store FILE       keep the transcripts (memory: do not)
  --allow TOOL, --approve TOOL, --root FOLDER, --demo, --config FILE and the environment: as for belay serve
  --help

The agents are the profiles of the door "mcp" in the configuration; without it there is one, belay. A client that
cancels a call stops everything that the call has started. The end of the input stops all, and ends the program.
`;

const { host: _, port: __, log: ___, stately: ____, 'no-key': _____, workers: ______, ...flags } = configFlags;

const { clock, ids } = systemSources;

/** The door of the configuration, or the default one. */
const doorOf = ({ doors }: Config): DoorSettings =>
  doors.find(({ door }) => door === 'mcp') ?? {
    door: 'mcp',
    profiles: { belay: { onAsk: 'deny' } },
    onDisconnect: 'cancel',
    graceMs: 0,
  };

/** Serves until its input ends, or a signal comes. Rejects if the settings are wrong, or a part cannot be started. */
export async function mcpServerCommand(args: readonly string[]): Promise<void> {
  const { values } = readFlags(args, flags);
  if (values['help']) return void process.stdout.write(usage);
  const config = configFrom(values, process.env, { store: 'memory' });
  const start = new InterruptibleStart();
  const serving = serve(config, start.interrupted).catch((error) => {
    if (error instanceof StartInterrupted) return null;
    throw error;
  });
  // registered before anything has started: what comes during the start also has to end it
  exitAfterShutdown(clock, {
    limitMs: 2 * shutdownMsOf(config),
    ended: untilUnread(),
    async shutDown() {
      start.interrupt();
      await (await serving)?.close();
    },
    force: () => void serving.then((server) => server?.force()),
  });
  await serving;
}

/** Resolves when no request can come, or no answer can be read. */
function untilUnread(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdin.on('end', resolve);
  process.stdin.on('close', resolve);
  onOutputClosed(clock, resolve);
  return promise;
}

interface Serving {
  /** Stops all, and resolves when it has stopped and the answers are written. */
  close(): Promise<void>;
  force(): void;
}

async function serve(config: Config, interrupted: Promise<never>): Promise<Serving> {
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  const key = config.key ? createSecret() : null;
  const { runtimeConfig } = await startRuntimeParts({ configured: config, stack, interrupted, key });
  const runtime = await createLocalRuntime(withoutAcknowledgements(runtimeConfig));
  const { serveMcpOnStdio } = await import('../doors/mcp-server/stdio-server.ts');
  await Promise.race([interrupted, null]); // an interruption by now closes the stack
  const server = serveMcpOnStdio(doorOf(config), { runtime, clock, ids, report });
  stack.defer(() => server.close());
  stack.defer(() => runtime.close()); // before the server: calls that were stopped are answered
  const running = stack.move();
  return { close: () => running.disposeAsync(), force: () => void runtime.close({ force: true }) };
}

if (import.meta.main) await runAsProgram(mcpServerCommand);
