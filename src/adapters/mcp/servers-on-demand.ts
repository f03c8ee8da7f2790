// The MCP servers of one session: they start when a model is asked for the first time, and end with the session.
import type { OfferContent, OfferRequest, ServerOffers } from '../../core/contracts/offers.ts';
import type { Tool } from '../../core/contracts/tool.ts';
import type { ToolInstructions, ToolSource } from '../../core/contracts/tool-source.ts';
import type { McpServers } from './api.ts';
import { defaultReadyMs } from './mcp-limits.ts';
import type { ServerSlots } from './server-slots.ts';
import { assertServerConfigs, type McpOptions, type StartingMcpServers, startMcpServers } from './servers.ts';
import { mayBeToolOf } from './tool-name.ts';

export interface ServersOnDemandOptions extends McpOptions {
  /** Bounds the servers of all sessions that run at once. Left out: there is no limit. */
  readonly slots?: ServerSlots | undefined;
}

type State =
  | { readonly phase: 'asleep' | 'closed' }
  | {
      readonly phase: 'started';
      readonly starting: StartingMcpServers;
      /** Resolves when they have listed their tools, or the wait for them has timed out. */
      readonly ready: Promise<void>;
    };

const noTools: readonly Tool[] = [];
const noInstructions: readonly ToolInstructions[] = [];

/**
 * Makes a source of tools for `toolSources` of a session: make it anew in each call of the option `session`. It starts nothing by itself.
 *
 * @throws RangeError if the configuration of a server is wrong; its message names the field.
 */
export const mcpServersOnDemand = (options: ServersOnDemandOptions): ToolSource => new ServersOnDemand(options);

class ServersOnDemand implements ToolSource {
  readonly #options: ServersOnDemandOptions;
  readonly #names: readonly string[];
  #state: State = { phase: 'asleep' };
  #servers: McpServers | null = null;

  constructor(options: ServersOnDemandOptions) {
    assertServerConfigs(options.servers);
    this.#options = options;
    this.#names = Object.keys(options.servers);
  }

  tools(): readonly Tool[] {
    return this.#servers?.tools() ?? noTools;
  }

  mayHave(name: string): boolean {
    return this.#names.some((server) => mayBeToolOf(server, name));
  }

  instructions(): readonly ToolInstructions[] {
    return this.#servers?.instructions() ?? noInstructions;
  }

  /** Starts the servers. */
  async ready(): Promise<void> {
    if (this.#state.phase === 'asleep') this.#state = this.#start();
    if (this.#state.phase === 'started') await this.#state.ready;
    await this.#servers?.ready();
  }

  absenceOf(name: string): string | null {
    if (this.#servers) return this.#servers.absenceOf(name);
    if (!this.mayHave(name)) return null;
    return this.#state.phase === 'started'
      ? 'the MCP servers of this session have not started yet'
      : 'too many MCP servers of sessions run now, so that of this session has not started. Try again later';
  }

  async listOffers(): Promise<readonly ServerOffers[]> {
    await this.ready();
    return (await this.#servers?.listOffers()) ?? [];
  }

  async readOffer(request: OfferRequest): Promise<OfferContent | null> {
    if (!this.#names.includes(request.server)) return null;
    await this.ready();
    if (this.#servers) return await this.#servers.readOffer(request);
    return { ok: false, message: 'The MCP servers of this session have not started. Try again later.' };
  }

  async endSession(): Promise<void> {
    const state = this.#state;
    this.#state = { phase: 'closed' };
    if (state.phase !== 'started') return;
    await state.starting.close();
    this.#options.slots?.releaseSlots(this.#names.length);
  }

  /** Starts the servers. The state stays `asleep` if too many servers of other sessions run. */
  #start(): State {
    const { slots, readyMs = defaultReadyMs, ...options } = this.#options;
    if (slots && !slots.reserveSlots(this.#names.length)) return { phase: 'asleep' };
    const starting = startMcpServers({ ...options, readyMs });
    const keep = (servers: McpServers) => {
      this.#servers = servers;
    };
    return { phase: 'started', starting, ready: starting.connected.then(keep, () => {}) };
  }
}
