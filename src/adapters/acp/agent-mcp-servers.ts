// The MCP servers of an outside agent: their configuration, and the form in which the agent gets them with its session. The agent starts them itself.
import type { McpServer } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { fieldsOf } from '../../core/collections/fields.ts';
import { findProgram } from '../processes/program-path.ts';

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

const stdioServer = z.strictObject({
  /** The command of the server; one without a slash is searched in PATH. */
  command: text.min(1),
  args: z.array(text).default([]),
  env: z.record(z.string().regex(/^[^=\0]+$/), text).default({}),
  /** Names of environment variables that are passed on from this process. */
  passEnvironment: z.array(z.string().min(1)).default([]),
});

const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), text).default({}),
  /** `sse`: the server speaks the older HTTP with server-sent events. */
  transport: z.enum(['streamable', 'sse']).default('streamable'),
});

/** Servers by their names. */
export const agentMcpServersSchema = z.record(
  z.string().regex(/^[\w-]{1,24}$/, 'must be 1 to 24 letters, digits, _ and -'),
  z.union([stdioServer, httpServer], {
    error:
      'needs a `command` to start (with args, env, passEnvironment), or the `url` of a server that runs (with headers, transport)',
  }),
);
export type AgentMcpServers = z.output<typeof agentMcpServersSchema>;

/** Returns the servers as the protocol describes them. */
export function mcpServersFor(servers: AgentMcpServers): readonly McpServer[] {
  return Object.entries(servers).map(([name, server]): McpServer => {
    if ('url' in server) {
      const type = server.transport === 'sse' ? 'sse' : 'http';
      return { type, name, url: server.url, headers: pairsOf(server.headers) };
    }
    const { command, args, env, passEnvironment } = server;
    const passed = passEnvironment.flatMap((key) => {
      const value = process.env[key];
      return value === undefined ? [] : [[key, value] as const];
    });
    const path = command.includes('/') ? command : (findProgram([command], process.env['PATH']) ?? command);
    return { name, command: path, args, env: pairsOf({ ...Object.fromEntries(passed), ...env }) };
  });
}

const pairsOf = (record: Readonly<Record<string, string>>) =>
  Object.entries(record).map(([name, value]) => ({ name, value }));

/** Returns a clause about the first server that the agent cannot use; null: it can use all. `capabilities`: its `mcpCapabilities`, unchecked. */
export function unusableServer(servers: readonly McpServer[], capabilities: unknown): string | null {
  const can = fieldsOf(capabilities);
  for (const server of servers) {
    if (!('type' in server)) continue; // every agent starts servers itself
    if (can[server.type] !== true)
      return `it cannot use the MCP server ${server.name}: it has no transport \`${server.type}\``;
  }
  return null;
}
