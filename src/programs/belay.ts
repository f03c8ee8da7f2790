#!/usr/bin/env node
// `belay`: the command of the package. It loads and runs the command that its first argument names.
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { printLine } from '../core/text/print-line.ts';
import { product } from '../core/text/product.ts';
import { ConfigError } from './config-error.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay: an agent runtime in which stop means stopped

  belay serve        starts a gateway
  belay chat         a terminal at a session of a gateway
  belay run "task"   one task without a chat, for scripts
  belay acp          an agent for editors: Zed, JetBrains, Neovim
  belay mcp-server   an MCP server on stdio: its tools are your agents
  belay mcp          signs in to an MCP server, and out
  belay check-model  says what works with the configured model, and what does not

for the one on call (docs/how-to/on-call.md):

  belay stop         stops a session, a node, or everything (--all), and prints the receipts
  belay cancels      who stopped what, when, how long it took, what ran on
  belay hosts        the hosts of a cluster: what each holds, and the age of its lease
  belay drain        a host of a cluster gives its sessions to the others, and shuts down
  belay sessions     the sessions of a store, and what is open in them
  belay show         what happened to a session, a turn, a call or a cancel
  belay export       all facts of a session, as JSON
  belay delete       deletes a session or a speaker for good
  belay backup       copies the store while a gateway runs on it
  belay copy         copies all sessions into another store: a file, or PostgreSQL
  belay migrate      brings the tables of a PostgreSQL database to this version
  belay replay-decisions  judges again who might stop what, from the transcripts

  --help             after one of these: its arguments
  --version
`;

type Command = (args: readonly string[]) => Promise<void>;

const commands = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./serve.ts')).serveCommand],
  ['chat', async () => (await import('./chat.ts')).chatCommand],
  ['run', async () => (await import('./run.ts')).runTaskCommand],
  ['acp', async () => (await import('./acp.ts')).acpCommand],
  ['replay-decisions', async () => (await import('./replay-decisions.ts')).replayDecisionsCommand],
  ['stop', async () => (await import('./stop-work.ts')).stopCommand],
  ['cancels', async () => (await import('./list-cancels.ts')).cancelsCommand],
  ['hosts', async () => (await import('./list-hosts.ts')).hostsCommand],
  ['drain', async () => (await import('./drain-host.ts')).drainCommand],
  ['sessions', async () => (await import('./list-sessions.ts')).sessionsCommand],
  ['show', async () => (await import('./show-entry.ts')).showCommand],
  ['export', async () => (await import('./export-session.ts')).exportCommand],
  ['delete', async () => (await import('./delete-session.ts')).deleteCommand],
  ['backup', async () => (await import('./back-up-store.ts')).backupCommand],
  ['copy', async () => (await import('./copy-store.ts')).copyCommand],
  ['migrate', async () => (await import('./migrate-store.ts')).migrateCommand],
  ['mcp-server', async () => (await import('./mcp-server.ts')).mcpServerCommand],
  ['mcp', async () => (await import('./mcp.ts')).mcpCommand],
  ['check-model', async () => (await import('./check-model.ts')).checkModelCommand],
]);

const writableByOthers = 0o022;

/**
 * Returns the folder of Node's compile cache: `belay/compiled` in XDG_CACHE_HOME, or in `~/.cache`. Node runs what it finds there, so that it has to belong to this
 * user, and nobody else may write to it.
 */
function cacheFolder({ XDG_CACHE_HOME: cache = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'belay', 'compiled');
}

/** Keeps the compiled form of what is imported from now on: nearly half of the CPU of a start is compiling. Where there can be no such folder, it is compiled each time. */
function useCompileCache(): void {
  try {
    const folder = cacheFolder(process.env);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    if (uid === process.getuid?.() && (mode & writableByOthers) === 0) module.enableCompileCache(folder);
  } catch {} // a system without a home that may be written to
}

async function belay([name, ...args]: readonly string[]): Promise<void> {
  if (name === '--version') return printLine(product.version);
  if (name === 'help' && args[0] !== undefined) return belay([args[0], '--help']);
  if (name === undefined || name === '--help' || name === 'help') return void process.stdout.write(usage);
  const load = commands.get(name);
  if (!load) throw new ConfigError(`There is no command ${name}. There are ${[...commands.keys()].join(', ')}.`);
  useCompileCache();
  const command = await load();
  await command(args);
}

if (import.meta.main) await runAsProgram(belay);
