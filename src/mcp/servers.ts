// The MCP servers of a runtime: started together, listed once, closed together. The SDK is loaded only where there is a server.

import { addAbortListener } from 'node:events';
import { raceAbort } from '../sources/race-abort.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { describeIssue, issueLine } from '../text/schema-issue.ts';
import type { McpServers } from './connected-servers.ts';
import { defaultMcpLimits, type McpLimits } from './mcp-limits.ts';
import { type McpServer, mcpServersSchema } from './server-config.ts';

export interface McpOptions {
  /** By their names, with which the names of their tools start. */
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** From TERM to KILL of a server's process, in milliseconds (1 000). */
  readonly termGraceMs?: number | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  /** Receives a sentence for each server and each tool that cannot be used. */
  warn?(message: string): void;
}

export interface StartingMcpServers {
  /** Rejects where they are closed before. */
  readonly connected: Promise<McpServers>;
  /** At any time; resolves when no process and no socket of them is left. */
  close(): Promise<void>;
}

/** As `connectMcpServers`, for a caller that may have to stop while they are being connected. */
export function startMcpServers(options: McpOptions): StartingMcpServers {
  const closing = new AbortController();
  const connected = startAndList(options, closing.signal);
  connected.catch(() => {}); // nobody awaits it after `close`
  return {
    connected,
    async close() {
      closing.abort(new Error('the MCP servers were closed'));
      const servers = await connected.catch(() => null);
      await servers?.close();
    },
  };
}

/**
 * Resolves when every server has listed its tools, or has failed to: one that fails has no tools, and costs the others nothing.
 *
 * @throws RangeError where the configuration of a server is wrong; it names the field.
 */
export const connectMcpServers = (options: McpOptions): Promise<McpServers> => startMcpServers(options).connected;

const noServers: McpServers = { tools: () => [], states: () => [], close: async () => {} };

/** Rejects with the signal's reason when nothing of the servers is left. */
async function startAndList(options: McpOptions, signal: AbortSignal): Promise<McpServers> {
  const { servers: specs, clock, ids, termGraceMs = 1_000, warn = () => {} } = options;
  assertServerConfigs(specs);
  if (Object.keys(specs).length === 0) return noServers;
  const loaded = await raceAbort(import('./connected-servers.ts'), signal);
  if (loaded === 'aborted' || signal.aborted) throw signal.reason;
  const limits = { ...defaultMcpLimits, ...options.limits };
  const servers = new loaded.ConnectedServers(specs, { clock, ids, limits, termGraceMs, warn });
  using _ = addAbortListener(signal, () => void servers.close());
  await servers.list(signal);
  if (signal.aborted) await servers.close();
  signal.throwIfAborted();
  return servers;
}

/** Throws a RangeError that names the field. */
function assertServerConfigs(servers: McpOptions['servers']): void {
  const { error } = mcpServersSchema.safeParse(servers);
  if (error) throw new RangeError(issueLine(describeIssue(mcpServersSchema, servers, error.issues), 'servers'));
}
