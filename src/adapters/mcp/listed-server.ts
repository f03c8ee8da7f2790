// One server with the tools that it has listed at last.
import type { OfferContent, OfferRequest, ServerOffers } from '../../core/contracts/offers.ts';
import type { Tool } from '../../core/contracts/tool.ts';
import type { ToolInstructions } from '../../core/contracts/tool-source.ts';
import { msSince } from '../../core/sources/monotonic-time.ts';
import { pause } from '../../core/sources/pause.ts';
import type { MonotonicTime } from '../../core/sources/sources.ts';
import { truncate } from '../../core/text/bound-text.ts';
import { errorText } from '../../core/text/error-text.ts';
import type { McpState } from './api.ts';
import { createListedTool } from './listed-tool.ts';
import { createOfferedReads } from './offered-reads.ts';
import { listForPeople, type PeopleOffersOptions, readForPeople } from './people-offers.ts';
import { RestartingServer, type RestartingServerOptions, type ServerOffer } from './restarting-server.ts';
import { type McpServer, stopMsOf } from './server-config.ts';
import { createRedact, type Redact, secretsOf, withoutSecrets } from './server-secrets.ts';
import { StoredSignIn } from './stored-sign-in.ts';
import { TokenFile } from './token-file.ts';
import { waitWithin } from './wait-within.ts';

export interface ListedServerOptions extends Omit<RestartingServerOptions, 'onToolsChanged' | 'signIn'> {
  /** The file with the tokens of sign-ins. */
  readonly tokenFile: string | undefined;
  /** How long a request to a model waits for changed tools, in milliseconds. */
  readonly relistMs: number;
  warn(message: string): void;
  /** Called after each change of its state or its tools. */
  onChanged(): void;
}

type ListState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'listed'; readonly tools: readonly Tool[]; readonly instructions: readonly ToolInstructions[] }
  | { readonly phase: 'failed'; readonly problem: string };

/** From the start of one listing to the next, in milliseconds: some servers say with each list that it has changed. */
const minListingMs = 250;

export class ListedServer {
  readonly name: string;
  readonly #spec: McpServer;
  readonly #options: ListedServerOptions;
  readonly #server: RestartingServer;
  readonly #redact: Redact;
  #state: ListState = { phase: 'starting' };
  readonly #closing = new AbortController();
  /** The newest listing, which comes after all others. */
  #listing = Promise.resolve();
  #listingStartedAt: MonotonicTime;
  /** A listing has not started yet: it will also have what changes until then. */
  #isListingQueued = false;
  /** Resolves with the newest listing of changed tools, or when it is not waited for any longer. */
  #relisted = Promise.resolve();

  constructor(name: string, spec: McpServer, options: ListedServerOptions) {
    this.name = name;
    this.#spec = spec;
    this.#listingStartedAt = options.clock.elapsed();
    const signIn = signInTo(name, spec, options.tokenFile);
    const fixed = secretsOf(spec);
    this.#redact = signIn ? (text) => createRedact([...fixed, ...signIn.secrets])(text) : createRedact(fixed);
    this.#options = { ...options, warn: (message) => options.warn(this.#redact(message)) };
    const roots = spec.roots ?? options.roots;
    this.#server = new RestartingServer(spec, { ...options, roots, signIn, onToolsChanged: () => this.#listAgain() });
  }

  get tools(): readonly Tool[] {
    return this.#state.phase === 'listed' ? this.#state.tools : [];
  }

  get instructions(): readonly ToolInstructions[] {
    return this.#state.phase === 'listed' ? this.#state.instructions : [];
  }

  get state(): McpState {
    const { name } = this;
    const { phase } = this.#state;
    if (phase === 'failed') return { name, phase, tools: 0, problem: this.#state.problem };
    return { name, phase: phase === 'listed' ? 'ready' : phase, tools: this.tools.length, problem: null };
  }

  /** Why it does not have a tool of its name. */
  get absence(): string {
    const { phase, problem } = this.state;
    if (phase === 'failed') return `the MCP server ${problem}`;
    return `the MCP server ${this.name} ${phase === 'starting' ? 'has not listed its tools yet' : 'does not have it'}`;
  }

  /** What it offers people; null: nothing, or it has not started. */
  async listOffers(): Promise<ServerOffers | null> {
    return this.#state.phase === 'listed' ? listForPeople(this.#forPeople) : null;
  }

  readOffer(request: OfferRequest): Promise<OfferContent> {
    if (this.#state.phase === 'listed') return readForPeople(request, this.#forPeople);
    return Promise.resolve({ ok: false, message: `It cannot be read: ${this.absence}.` });
  }

  get #forPeople(): PeopleOffersOptions {
    const { clock, limits } = this.#options;
    return { serverName: this.name, server: this.#server, clock, limits, redact: this.#redact };
  }

  /** Starts the server and lists its tools. Never rejects: a server that fails has none. */
  list(): Promise<void> {
    this.#listing = this.#readOffer()
      .catch((error: unknown): ListState => {
        const problem = this.#redact(`${this.name} ${errorText(error)}`);
        if (!this.#closing.signal.aborted) this.#options.warn(`the MCP server ${problem}`);
        return { phase: 'failed', problem };
      })
      .then((state) => this.#enter(state));
    return this.#listing;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#server.close();
  }

  /** Resolves when changed tools are listed, or are not waited for any longer. */
  ready(): Promise<void> {
    return this.#relisted;
  }

  /** One listing at a time: all changes before the next one starts are listed by it. */
  #listAgain(): void {
    if (this.#isListingQueued) return;
    this.#isListingQueued = true;
    const { clock, relistMs } = this.#options;
    this.#listing = this.#listAfter(this.#listing);
    this.#relisted = waitWithin(this.#listing, relistMs, clock);
  }

  /** Lists the tools again, and never rejects: tools that cannot be listed stay as they were. */
  async #listAfter(listing: Promise<void>): Promise<void> {
    const { clock, warn } = this.#options;
    const { signal } = this.#closing;
    await listing;
    const waitMs = minListingMs - msSince(clock, this.#listingStartedAt);
    if (waitMs > 0) await pause(clock, waitMs, signal);
    this.#isListingQueued = false;
    if (signal.aborted) return;
    try {
      this.#enter(await this.#readOffer());
    } catch (error) {
      if (!signal.aborted) warn(`the MCP server ${this.name} ${errorText(error)}: its tools stay as they were`);
    }
  }

  #enter(state: ListState): void {
    this.#state = state;
    this.#options.onChanged();
  }

  async #readOffer(): Promise<ListState> {
    const { clock, limits } = this.#options;
    this.#listingStartedAt = clock.elapsed();
    const offer = await this.#server.list();
    const { instructions, reads: offers } = offer;
    const own = this.#usable(offer);
    const reads = createOfferedReads({ serverName: this.name, server: this.#server, offers }).map((read) =>
      withoutSecrets(read, this.#redact),
    );
    const tools = [...own, ...reads.filter((read) => own.every(({ name }) => name !== read.name))];
    if (instructions.trim() === '') return { phase: 'listed', tools, instructions: [] };
    const text = `The MCP server ${this.name} says about its tools:\n${truncate(this.#redact(instructions.trim()), limits.maxInstructionsChars)}`;
    return { phase: 'listed', tools, instructions: [{ tools: tools.map(({ name }) => name), text }] };
  }

  #usable({ tools: listed, hasHeaderArguments }: ServerOffer): readonly Tool[] {
    const { limits, termGraceMs, warn } = this.#options;
    const { name: serverName } = this;
    const { timeoutMs, destructive } = this.#spec;
    const server = this.#server;
    if (listed.length > limits.maxTools)
      warn(`${serverName} lists ${listed.length} tools: only the first ${limits.maxTools} are used`);
    const stopMs = stopMsOf(this.#spec, limits, termGraceMs);
    return listed
      .slice(0, limits.maxTools)
      .flatMap((tool) =>
        this.#tryTool(tool, { serverName, server, timeoutMs, destructive, stopMs, limits, hasHeaderArguments }),
      );
  }

  #tryTool(...[tool, options]: Parameters<typeof createListedTool>): readonly Tool[] {
    try {
      return [withoutSecrets(createListedTool(tool, options), this.#redact)];
    } catch (error) {
      this.#options.warn(`${options.serverName} has a tool ${tool.name} that cannot be used: ${errorText(error)}`);
      return [];
    }
  }
}

/** The stored sign-in to a server over HTTP; null if it has a token in its headers, or no file is kept. */
function signInTo(name: string, spec: McpServer, tokenFile: string | undefined): StoredSignIn | null {
  if ('command' in spec || tokenFile === undefined) return null;
  if (Object.keys(spec.headers ?? {}).some((header) => header.toLowerCase() === 'authorization')) return null;
  const remedy = `sign in with \`belay mcp login ${name}\``;
  return new StoredSignIn({ file: new TokenFile(tokenFile), url: spec.url, remedy });
}
