// Starts the MCP servers of a runtime, lists their tools once, and closes them together. Loads the SDK only if a server is configured.

import { addAbortListener } from 'node:events';
import { raceAbort } from '../../core/sources/abort-signals.ts';
import type { Clock, Ids } from '../../core/sources/sources.ts';
import { printWarning } from '../../core/text/print-line.ts';
import { describeIssue, issueLine } from '../../core/text/schema-issue.ts';
import type { McpServers } from './api.ts';
import { defaultMcpLimits, defaultReadyMs, type McpLimits } from './mcp-limits.ts';
import { type McpServer, mcpServersSchema } from './server-config.ts';
import { waitWithin } from './wait-within.ts';

export interface McpOptions {
  /** The servers by name. A tool's name is `<server>__<tool>`. */
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a server's process may run after TERM before it receives KILL, in milliseconds (1 000). */
  readonly termGraceMs?: number | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  /** Absolute folders that servers receive as their roots, unless they have `roots` of their own. */
  readonly roots?: readonly string[] | undefined;
  /**
   * How long a server that is slow to list its tools is waited for, in milliseconds: it is ready later, or fails later. Left out: until each
   * server is ready or has failed. A request to a model waits as long for changed tools, left out: 3 000.
   */
  readonly readyMs?: number | undefined;
  /** The file with the tokens of `belay mcp login`. Left out: no server gets a token, but those in its `headers`. */
  readonly tokenFile?: string | undefined;
  /** Receives a sentence for each server and each tool that cannot be used. Default: standard error. */
  warn?(message: string): void;
}

export interface StartingMcpServers {
  /** As `connectMcpServers`; rejects if `close` is called before it resolves. */
  readonly connected: Promise<McpServers>;
  /** May be called at any time. Resolves when no process and no socket of the servers is left. */
  close(): Promise<void>;
}

/** Starts the servers and returns at once. Its `close` also works while they start. */
export function startMcpServers(options: McpOptions): StartingMcpServers {
  const closing = new AbortController();
  const connected = startAndList(options, closing.signal);
  connected.catch(() => {}); // it rejects after `close`, when no caller may be waiting for it
  return {
    connected,
    async close() {
      closing.abort(new Error('The MCP servers were closed while they were starting.'));
      const servers = await connected.catch(() => null);
      await servers?.close();
    },
  };
}

/**
 * Starts the servers. Resolves when each of them has listed its tools or has failed, or after `readyMs`. A server that fails has no tools; it
 * does not affect the others.
 *
 * @throws RangeError if the configuration of a server is wrong; its message names the field.
 */
export const connectMcpServers = (options: McpOptions): Promise<McpServers> => startMcpServers(options).connected;

const noServers: McpServers = {
  tools: () => [],
  mayHave: () => false,
  instructions: () => [],
  ready: async () => {},
  absenceOf: () => null,
  listOffers: async () => [],
  readOffer: async () => null,
  states: () => [],
  close: async () => {},
};

/** Starts the servers and lists their tools. If the signal fires, closes the servers first, then rejects with the signal's reason. */
async function startAndList(options: McpOptions, signal: AbortSignal): Promise<McpServers> {
  const { servers: specs, clock, ids, termGraceMs = 1_000, roots = [], warn = printWarning, tokenFile } = options;
  assertServerConfigs(specs);
  if (Object.keys(specs).length === 0) return noServers;
  const loaded = await raceAbort(import('./connected-servers.ts'), signal);
  if (loaded === 'aborted' || signal.aborted) throw signal.reason;
  const limits = { ...defaultMcpLimits, ...options.limits };
  const { readyMs = Number.POSITIVE_INFINITY } = options;
  const relistMs = options.readyMs ?? defaultReadyMs;
  const servers = new loaded.ConnectedServers(specs, {
    clock,
    ids,
    limits,
    termGraceMs,
    roots,
    warn,
    tokenFile,
    relistMs,
  });
  using _ = addAbortListener(signal, () => void servers.close());
  await waitWithin(servers.list(), readyMs, clock);
  if (signal.aborted) await servers.close();
  signal.throwIfAborted();
  for (const { name, phase } of servers.states()) {
    if (phase === 'starting')
      warn(`the MCP server ${name} has not listed its tools within ${readyMs} ms: they are used as soon as it has`);
  }
  return servers;
}

/** Checks the configuration of servers. Throws a RangeError whose message names the field. */
export function assertServerConfigs(servers: McpOptions['servers']): void {
  const { error } = mcpServersSchema.safeParse(servers);
  if (error) throw new RangeError(issueLine(describeIssue(mcpServersSchema, servers, error.issues), 'servers'));
}
