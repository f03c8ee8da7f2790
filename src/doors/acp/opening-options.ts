// Checks what a client brings to a new session: folders and MCP servers, each allowed by the configuration.
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type McpServer, RequestError } from '@agentclientprotocol/sdk';
import { matchesName } from '../../../machines/access.ts';
import type { OpeningOptions } from '../../../machines/facts.ts';
import { contains, realFolder } from '../../core/tools/folders.ts';

/** What clients may bring. */
export interface AllowedByConfig {
  /** SessionFolders at or below which a session may work. */
  readonly roots: readonly string[];
  /** Patterns of the names of MCP servers; other characters than letters, digits, _ and - count as _. */
  readonly mcpServers: readonly string[];
}

interface Brought {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers: readonly McpServer[];
}

export interface Opened {
  readonly options: OpeningOptions & { readonly roots: readonly [string, ...string[]] };
  /** The names of servers that the configuration does not allow: they are not started. */
  readonly refusedServers: readonly string[];
}

const maxNameChars = 24;

/** Returns the options of a new session. Throws the error of a request with a folder that is not allowed. */
export function openingOptionsOf(
  { cwd, additionalDirectories = [], mcpServers }: Brought,
  allowed: AllowedByConfig,
): Opened {
  const isAllowed = ({ name }: McpServer) => isAllowedServer(toolName(name), allowed.mcpServers);
  const servers = serversByName(mcpServers.filter(isAllowed));
  const roots: [string, ...string[]] = [
    allowedFolder('cwd', cwd, allowed),
    ...additionalDirectories.map((folder) => allowedFolder('additionalDirectories', folder, allowed)),
  ];
  return {
    options: { roots, ...(Object.keys(servers).length > 0 && { mcpServers: servers }) },
    refusedServers: mcpServers.filter((server) => !isAllowed(server)).map(({ name }) => name),
  };
}

/** Whether a server may be started. `name`: in the form in which it is a part of the names of tools. */
export const isAllowedServer = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesName(toolName(pattern, '*'), name));

/** Returns a name with other characters than those of names of tools replaced. */
const toolName = (name: string, more = ''): string =>
  name.replace(/[^\w-]/g, (other) => (other === more ? other : '_'));

/** Returns the real path of a folder. Throws the error of a request if it is none, or is not allowed. */
export function allowedFolder(field: string, folder: string, { roots }: Pick<AllowedByConfig, 'roots'>): string {
  const refused = (why: string) => RequestError.invalidParams({ field }, `${field}: ${why}`);
  if (!isAbsolute(folder)) throw refused(`${folder} is no absolute path`);
  const real = realFolder(folder);
  if (!statSync(real, { throwIfNoEntry: false })?.isDirectory()) throw refused(`there is no folder ${folder}`);
  if (roots.some((root) => contains(realFolder(root), real))) return real;
  const named = roots.length === 0 ? 'It allows none' : `It allows ${roots.join(', ')}`;
  throw refused(
    `the configuration does not allow the folder ${folder}. ${named}: add it to \`roots\`, or start \`belay acp\` with --root ${folder}`,
  );
}

/** Returns the servers in the form of the configuration. Their names become those of tools: they are shortened, and other characters replaced. */
function serversByName(servers: readonly McpServer[]): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const server of servers) {
    const base = toolName(server.name).slice(0, maxNameChars) || 'server';
    let name = base;
    for (let n = 2; name in named; n++) name = `${base.slice(0, maxNameChars - String(n).length - 1)}_${n}`;
    named[name] = serverOf(server);
  }
  return named;
}

function serverOf(server: McpServer): object {
  if ('command' in server) {
    const { command, args, env } = server;
    return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  }
  const { url, headers, type } = server;
  return {
    url,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    ...(type === 'sse' && { transport: 'sse' }),
  };
}
