// The servers of tools of one host: started together, listed once, closed together.
import type { Clock, Ids } from '../sources/sources.ts';
import type { Tool } from '../tools/tool.ts';
import { defaultMcpLimits, type McpLimits } from './mcp-limits.ts';
import type { Server } from './server.ts';
import { type McpServer, mcpServersSchema, stopMsOf } from './server-config.ts';

export interface McpOptions {
  /** By their names, which the names of their tools begin with. */
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** From TERM to KILL of a server's process, in milliseconds. */
  readonly termGraceMs?: number;
  readonly limits?: Partial<McpLimits>;
  /** Hears of tools that cannot be offered. */
  warn?(message: string): void;
}

export interface McpState {
  readonly name: string;
  /** Those that it offers here. */
  readonly tools: number;
  /** Why it offers none. */
  readonly problem: string | null;
}

export interface McpServers {
  tools(): readonly Tool[];
  /** How each server was found at the start. */
  states(): readonly McpState[];
  /** Resolves when no process and no socket of them is left. Calls that come later fail. */
  close(): Promise<void>;
}

interface Listed extends McpState {
  readonly offered: readonly Tool[];
}

/** Throws a RangeError that names the field. */
function assertServers(servers: McpOptions['servers']): void {
  const [issue] = mcpServersSchema.safeParse(servers).error?.issues ?? [];
  if (issue) throw new RangeError(`${['servers', ...issue.path].join('.')}: ${issue.message}`);
}

export interface McpStart {
  /** Rejects where they are closed before. */
  readonly connected: Promise<McpServers>;
  /** At any time; resolves when no process and no socket of them is left. */
  close(): Promise<void>;
}

/** As `connectMcpServers`, for a host that may be stopped while they are being connected. */
export function startMcpServers(options: McpOptions): McpStart {
  const closing = new AbortController();
  const connected = connect(options, closing.signal);
  connected.catch(() => {}); // nobody waits for it any more where they are closed
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
 * Resolves when every server has listed its tools, or has failed to: one that fails offers nothing, and costs the others nothing.
 * Throws a RangeError for a server that is not declared as one.
 */
export const connectMcpServers = (options: McpOptions): Promise<McpServers> => startMcpServers(options).connected;

/** Throws what its signal says, when nothing of them is left. */
async function connect(options: McpOptions, signal: AbortSignal): Promise<McpServers> {
  const { clock, ids, termGraceMs = 1_000, warn = () => {} } = options;
  const limits = { ...defaultMcpLimits, ...options.limits };
  assertServers(options.servers);
  if (Object.keys(options.servers).length === 0) return { tools: () => [], states: () => [], close: async () => {} };
  // with all that the SDK brings, only when it is asked for
  const [{ createServer }, { toolOf }] = await Promise.all([import('./server.ts'), import('./listed-tool.ts')]);
  signal.throwIfAborted();
  const servers = Object.entries(options.servers).map(([name, spec]) => ({
    name,
    spec,
    server: createServer(spec, { clock, ids, limits, termGraceMs }),
  }));

  async function list(name: string, spec: McpServer, server: Server): Promise<Listed> {
    try {
      const listed = await server.list();
      if (listed.length > limits.maxTools)
        warn(`${name} lists ${listed.length} tools: only the first ${limits.maxTools} are offered`);
      const stopMs = stopMsOf(spec, limits, termGraceMs);
      const offered = listed.slice(0, limits.maxTools).flatMap((tool) => {
        try {
          return [toolOf(tool, { name, server, timeoutMs: spec.timeoutMs, stopMs, limits })];
        } catch (error) {
          warn(
            `${name} has a tool ${tool.name} that is not offered: ${error instanceof Error ? error.message : error}`,
          );
          return [];
        }
      });
      return { name, tools: offered.length, problem: null, offered };
    } catch (error) {
      const problem = `${name} ${error instanceof Error ? error.message : error}`;
      if (!signal.aborted) warn(`the MCP server ${problem}`);
      return { name, tools: 0, problem, offered: [] };
    }
  }

  const close = async () => void (await Promise.all(servers.map(({ server }) => server.close())));
  signal.addEventListener('abort', close);
  const lists = await Promise.all(servers.map(({ name, spec, server }) => list(name, spec, server)));
  signal.removeEventListener('abort', close);
  if (signal.aborted) await close();
  signal.throwIfAborted();
  const byName = new Map<string, Tool>();
  for (const tool of lists.flatMap(({ offered }) => offered)) {
    if (byName.has(tool.name)) warn(`${tool.name} is listed twice: only the first is offered`);
    else byName.set(tool.name, tool);
  }
  return {
    tools: () => [...byName.values()],
    states: () => lists.map(({ name, tools, problem }) => ({ name, tools, problem })),
    close,
  };
}
