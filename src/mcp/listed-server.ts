// One server with the tools that it has listed at last.
import { errorText } from '../text/error-text.ts';
import type { Tool } from '../tools/tool.ts';
import type { McpState } from './api.ts';
import { createListedTool } from './listed-tool.ts';
import { RestartingServer } from './restarting-server.ts';
import { type McpServer, stopMsOf } from './server-config.ts';
import type { StdioTransportOptions } from './stdio-transport.ts';

export interface ListedServerOptions extends StdioTransportOptions {
  warn(message: string): void;
  /** Called after each change of its state or its tools. */
  onChanged(): void;
}

type ListState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'listed'; readonly tools: readonly Tool[] }
  | { readonly phase: 'failed'; readonly problem: string };

export class ListedServer {
  readonly name: string;
  readonly #spec: McpServer;
  readonly #options: ListedServerOptions;
  readonly #server: RestartingServer;
  #state: ListState = { phase: 'starting' };
  #isClosed = false;

  constructor(name: string, spec: McpServer, options: ListedServerOptions) {
    this.name = name;
    this.#spec = spec;
    this.#options = options;
    this.#server = new RestartingServer(spec, options);
  }

  get tools(): readonly Tool[] {
    return this.#state.phase === 'listed' ? this.#state.tools : [];
  }

  get state(): McpState {
    const { name } = this;
    const { phase } = this.#state;
    if (phase === 'failed') return { name, phase, tools: 0, problem: this.#state.problem };
    return { name, phase: phase === 'listed' ? 'ready' : phase, tools: this.tools.length, problem: null };
  }

  /** Starts the server and lists its tools. Never rejects: a server that fails has none. */
  async list(): Promise<void> {
    const { warn, onChanged } = this.#options;
    try {
      this.#state = { phase: 'listed', tools: await this.#listTools() };
    } catch (error) {
      const problem = `${this.name} ${errorText(error)}`;
      if (!this.#isClosed) warn(`the MCP server ${problem}`);
      this.#state = { phase: 'failed', problem };
    }
    onChanged();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#server.close();
  }

  async #listTools(): Promise<readonly Tool[]> {
    const { limits, termGraceMs, warn } = this.#options;
    const { name: serverName } = this;
    const { timeoutMs } = this.#spec;
    const server = this.#server;
    const listed = await server.listTools();
    if (listed.length > limits.maxTools)
      warn(`${serverName} lists ${listed.length} tools: only the first ${limits.maxTools} are used`);
    const stopMs = stopMsOf(this.#spec, limits, termGraceMs);
    return listed
      .slice(0, limits.maxTools)
      .flatMap((tool) => this.#tryTool(tool, { serverName, server, timeoutMs, stopMs, limits }));
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
