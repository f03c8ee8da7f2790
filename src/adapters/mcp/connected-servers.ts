// All configured servers together. Loads the SDK: servers.ts imports this file if there is a server.
import type { OfferContent, OfferRequest, ServerOffers } from '../../core/contracts/offers.ts';
import type { Tool } from '../../core/contracts/tool.ts';
import type { ToolInstructions } from '../../core/contracts/tool-source.ts';
import type { McpServers, McpState } from './api.ts';
import { ListedServer, type ListedServerOptions } from './listed-server.ts';
import type { McpServer } from './server-config.ts';
import { mayBeToolOf } from './tool-name.ts';

export type ConnectedServersOptions = Omit<ListedServerOptions, 'onChanged'>;

export class ConnectedServers implements McpServers {
  readonly #options: ConnectedServersOptions;
  readonly #servers: readonly ListedServer[];
  #tools: readonly Tool[] = [];
  #instructions: readonly ToolInstructions[] = [];

  constructor(specs: Readonly<Record<string, McpServer>>, options: ConnectedServersOptions) {
    this.#options = options;
    const onChanged = () => this.#collect();
    this.#servers = Object.entries(specs).map(
      ([name, spec]) => new ListedServer(name, spec, { ...options, onChanged }),
    );
  }

  /** Starts every server and lists its tools. Never rejects: a server that fails has no tools. */
  async list(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.list()));
  }

  async ready(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.ready()));
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  mayHave(name: string): boolean {
    return this.#servers.some((server) => mayBeToolOf(server.name, name));
  }

  instructions(): readonly ToolInstructions[] {
    return this.#instructions;
  }

  states(): readonly McpState[] {
    return this.#servers.map(({ state }) => state);
  }

  absenceOf(name: string): string | null {
    const server = this.#servers.find((one) => mayBeToolOf(one.name, name));
    return server?.absence ?? null;
  }

  async listOffers(): Promise<readonly ServerOffers[]> {
    const offers = await Promise.all(this.#servers.map((server) => server.listOffers()));
    return offers.flatMap((offer) => (offer && offer.resources.length + offer.prompts.length > 0 ? [offer] : []));
  }

  async readOffer(request: OfferRequest): Promise<OfferContent | null> {
    return (await this.#servers.find(({ name }) => name === request.server)?.readOffer(request)) ?? null;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #collect(): void {
    const byName = new Map<string, Tool>();
    for (const tool of this.#servers.flatMap(({ tools }) => tools)) {
      if (byName.has(tool.name)) this.#options.warn(`${tool.name} is listed twice: only the first is used`);
      else byName.set(tool.name, tool);
    }
    this.#tools = [...byName.values()];
    this.#instructions = this.#servers.flatMap(({ instructions }) => instructions);
  }
}
