// Lists the tools of all configured servers, and closes the servers together. Loads the SDK: servers.ts imports this file if there is a server.
import { errorText } from '../text/error-text.ts';
import type { Tool } from '../tools/tool.ts';
import type { McpServers, McpState } from './api.ts';
import { createListedTool } from './listed-tool.ts';
import { RestartingServer, type ToolServer } from './restarting-server.ts';
import { type McpServer, stopMsOf } from './server-config.ts';
import type { StdioTransportOptions } from './stdio-transport.ts';

export interface ConnectedServersOptions extends StdioTransportOptions {
  warn(message: string): void;
}

interface ConfiguredServer {
  readonly name: string;
  readonly spec: McpServer;
  readonly server: ToolServer;
}

interface ListedServer extends McpState {
  readonly listed: readonly Tool[];
}

export class ConnectedServers implements McpServers {
  readonly #options: ConnectedServersOptions;
  readonly #servers: readonly ConfiguredServer[];
  #lists: readonly ListedServer[] = [];
  #tools: readonly Tool[] = [];

  constructor(specs: Readonly<Record<string, McpServer>>, options: ConnectedServersOptions) {
    this.#options = options;
    this.#servers = Object.entries(specs).map(([name, spec]) => ({
      name,
      spec,
      server: new RestartingServer(spec, options),
    }));
  }

  /** Starts every server and lists its tools. Never rejects: a server that fails has no tools. */
  async list(signal: AbortSignal): Promise<void> {
    this.#lists = await Promise.all(this.#servers.map((server) => this.#listServer(server, signal)));
    const byName = new Map<string, Tool>();
    for (const tool of this.#lists.flatMap(({ listed }) => listed)) {
      if (byName.has(tool.name)) this.#options.warn(`${tool.name} is listed twice: only the first is used`);
      else byName.set(tool.name, tool);
    }
    this.#tools = [...byName.values()];
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  states(): readonly McpState[] {
    return this.#lists.map(({ name, tools, problem }) => ({ name, tools, problem }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ server }) => server.close()));
  }

  async #listServer({ name, spec, server }: ConfiguredServer, signal: AbortSignal): Promise<ListedServer> {
    const { limits, termGraceMs, warn } = this.#options;
    try {
      const listed = await server.listTools();
      if (listed.length > limits.maxTools)
        warn(`${name} lists ${listed.length} tools: only the first ${limits.maxTools} are used`);
      const stopMs = stopMsOf(spec, limits, termGraceMs);
      const tools = listed
        .slice(0, limits.maxTools)
        .flatMap((tool) =>
          this.#tryTool(tool, { serverName: name, server, timeoutMs: spec.timeoutMs, stopMs, limits }),
        );
      return { name, tools: tools.length, problem: null, listed: tools };
    } catch (error) {
      const problem = `${name} ${errorText(error)}`;
      if (!signal.aborted) warn(`the MCP server ${problem}`);
      return { name, tools: 0, problem, listed: [] };
    }
  }

  #tryTool(...[tool, options]: Parameters<typeof createListedTool>): readonly Tool[] {
    try {
      return [createListedTool(tool, options)];
    } catch (error) {
      this.#options.warn(`${options.serverName} has a tool ${tool.name} that cannot be used: ${errorText(error)}`);
      return [];
    }
  }
}
