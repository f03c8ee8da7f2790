// `belay mcp`: signs a person in to an MCP server of the configuration, and out.

import type { HttpServer } from '../adapters/mcp/server-config.ts';
import { TokenFile } from '../adapters/mcp/token-file.ts';
import { keepAlive, systemSources } from '../core/sources/system.ts';
import { printLine } from '../core/text/print-line.ts';
import { configFrom } from './config.ts';
import { ConfigError } from './config-error.ts';
import { readFlags } from './flags.ts';
import { mcpTokenFile } from './mcp-token-file.ts';
import { runAsProgram } from './run-as-program.ts';
import type { Config } from './settings.ts';

const usage = `belay mcp login SERVER    signs in to an MCP server over HTTP: prints an address to open in a browser
belay mcp logout SERVER   forgets the sign-in

  SERVER             its name in mcpServers
  --config FILE      and the environment: as for belay serve
  --help

The tokens are kept in mcp-tokens.json beside the store, for this user alone. A gateway that was started before the
first sign-in uses them after its next start.
`;

const flags = { config: { type: 'string' }, help: { type: 'boolean' } } as const;

/** How long a person may take, in milliseconds. */
const signInMs = 600_000;

/** Rejects if the arguments or the settings are wrong, or the sign-in fails. */
export async function mcpCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = readFlags(args, flags, { allowPositionals: true });
  if (values['help']) return void process.stdout.write(usage);
  const [action, name, ...rest] = positionals;
  if ((action !== 'login' && action !== 'logout') || name === undefined || rest.length > 0)
    throw new ConfigError(`Give belay mcp an action and a server.\n\n${usage}`);
  const config = configFrom({ config: values['config'] }, process.env);
  const server = findServer(config, name);
  const file = new TokenFile(mcpTokenFile(config));
  if (action === 'login') return logIn(name, server, file);
  printLine(file.remove(server.url) ? `Signed out of ${name}.` : `There was no sign-in to ${name}.`);
}

function findServer({ mcpServers, sessions }: Config, name: string): HttpServer {
  const all = [mcpServers, ...Object.values(sessions).map((settings) => settings.mcpServers ?? {})];
  const found = all.find((servers) => Object.hasOwn(servers, name))?.[name];
  if (!found) {
    const names = all.flatMap((servers) => Object.keys(servers));
    throw new ConfigError(`There is no MCP server ${name}. There are ${names.join(', ') || 'none'}: see mcpServers.`);
  }
  if ('command' in found)
    throw new ConfigError(`The MCP server ${name} is a process: only one with a url has a sign-in.`);
  return found;
}

async function logIn(name: string, server: HttpServer, file: TokenFile): Promise<void> {
  const { signIn } = await import('../adapters/mcp/sign-in.ts');
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  const end = await signIn({
    name,
    server,
    file,
    ...systemSources,
    waitMs: signInMs,
    onAddress: (url) => printLine(`Open this address to sign in to ${name}:\n\n  ${url}\n`),
  });
  printLine(end === 'signed_in' ? `Signed in to ${name}.` : `${name} needs no sign-in.`);
}

if (import.meta.main) await runAsProgram(mcpCommand);
