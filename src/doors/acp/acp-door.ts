// The agent of the Agent Client Protocol: the requests of one client, performed by a runtime in this process.
//
// 1. Whoever starts this process is its only speaker. The client brings folders and servers as far as the configuration allows them.
// 2. A session is what it was opened with: a client that loads it again gets its folders and servers, not those of its request.
import { Readable, Writable } from 'node:stream';
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type LoadSessionRequest,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { Caller } from '../../core/session/api.ts';
import { SessionInUse } from '../../core/session/session-archive.ts';
import type { Clock, Ids } from '../../core/sources/sources.ts';
import type { EmbeddedSession } from '../../embed/embedded-session.ts';
import type { EmbeddedRuntime } from '../../embed/runtime.ts';
import type { AcpClientMachine } from './acp-client-machine.ts';
import type { AcpSession } from './acp-session.ts';
import { doorName, joinForClient, localSpeaker as speaker } from './join-session.ts';
import { type AllowedByConfig, allowedFolder, openingOptionsOf } from './opening-options.ts';
import { saidParts } from './prompt-content.ts';
import { listSessions, readFolders, type SessionFolders } from './stored-folders.ts';

export interface AcpDoorOptions {
  readonly runtime: EmbeddedRuntime;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly allowed: AllowedByConfig;
  /** The tokens that the model can read at once; null: not known. */
  readonly contextTokens: number | null;
  /** Where the tools find the files and terminals of the client. */
  readonly machine: AcpClientMachine;
  readonly version: string;
  readonly warn: (message: string) => void;
}

export class AcpDoor {
  readonly #options: AcpDoorOptions;
  readonly #caller: Caller;
  /** The sessions that the client has opened or loaded. */
  readonly #sessions = new Map<string, AcpSession>();
  #client: AgentContext | null = null;
  #capabilities: ClientCapabilities = {};

  constructor(options: AcpDoorOptions) {
    this.#options = options;
    this.#caller = { speaker, connection: options.ids(doorName), door: doorName };
  }

  /** Serves the client at the other end. Resolves when it has closed its end, or sends what is no message. */
  serve(input: Readable, output: Writable): Promise<void> {
    const toClient = Writable.toWeb(output) as WritableStream<Uint8Array>; // Node's type of a web stream is not the global one, its objects are
    const fromClient = Readable.toWeb(input) as ReadableStream<Uint8Array>; // likewise
    const stream = ndJsonStream(toClient, fromClient);
    return this.#createApp().connect(stream).closed;
  }

  #createApp(): AgentApp {
    const { agent: requests } = methods;
    return agent({ name: 'belay' })
      .onConnect(({ client }) => {
        this.#client = client;
      })
      .onRequest(requests.initialize, ({ params }) => this.#initialize(params.clientCapabilities ?? {}))
      .onRequest(requests.session.new, ({ params }) => this.#openNew(params))
      .onRequest(requests.session.load, ({ params }) => this.#load(params, { after: 0 }))
      .onRequest(requests.session.resume, ({ params }) => this.#load({ mcpServers: [], ...params }, {}))
      .onRequest(requests.session.list, ({ params }) => listSessions(this.#options.runtime, this.#caller, params))
      .onRequest(requests.session.close, ({ params }) => this.#close(params.sessionId))
      .onRequest(requests.session.delete, ({ params }) => this.#delete(params.sessionId))
      .onRequest(requests.session.prompt, ({ params: { sessionId, prompt }, signal }) =>
        this.#sessionOf(sessionId).prompt(saidParts(prompt), aborted(signal)),
      )
      .onNotification(requests.session.cancel, ({ params }) => this.#sessions.get(params.sessionId)?.cancel())
      .onRequest(requests.session.setMode, ({ params }) => this.#setMode(params.sessionId, params.modeId))
      .onRequest(requests.session.setConfigOption, ({ params }) =>
        this.#setOption(params.sessionId, params.configId, params.value),
      );
  }

  #initialize(capabilities: ClientCapabilities): InitializeResponse {
    this.#capabilities = capabilities;
    this.#options.machine.connect({
      context: this.#clientOf(),
      capabilities,
      showTerminal: (session, call, terminal) => this.#sessions.get(session)?.showTerminal(call, terminal),
    });
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'belay', title: 'Belay', version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
      authMethods: [],
    };
  }

  async #openNew(params: Parameters<typeof openingOptionsOf>[0]): Promise<NewSessionResponse> {
    const { runtime, ids, allowed, warn } = this.#options;
    const { options, refusedServers } = openingOptionsOf(params, allowed);
    const id = ids(doorName);
    await runtime.open(id, this.#caller, options).catch(rethrow); // whoever has started the process owns it
    const session = await this.#join(await runtime.session(id), options.roots, { after: 0 });
    if (refusedServers.length > 0)
      warn(
        `The configuration does not allow these MCP servers of the client (acp.mcpServers): ${refusedServers.join(', ')}.`,
      );
    return {
      sessionId: session.id,
      ...choicesOf(session),
      ...(refusedServers.length > 0 && { _meta: { belay: { refusedServers } } }),
    };
  }

  /** Opens a session that is stored. `from`: what of its history the client gets. */
  async #load({ sessionId, cwd }: LoadSessionRequest, from: { readonly after?: number }) {
    const { runtime, allowed } = this.#options;
    const folders = await readFolders(runtime, sessionId);
    if (folders === null) throw RequestError.sessionNotFound(sessionId);
    const [own] = folders;
    if (allowedFolder('cwd', cwd, allowed) !== own)
      throw RequestError.invalidParams(
        { field: 'cwd' },
        `cwd: the session ${sessionId} has the folder ${own}, not ${cwd}`,
      );
    const known = this.#sessions.get(sessionId);
    if (known?.isBusy)
      throw RequestError.invalidRequest(
        { field: 'sessionId' },
        `a prompt of the session ${sessionId} runs: cancel it first`,
      );
    await known?.close();
    const session = await this.#join(await runtime.session(sessionId).catch(rethrow), folders, from);
    return choicesOf(session);
  }

  /** Joins the session for the person at the client. Resolves when the history is sent. */
  async #join(opened: EmbeddedSession, roots: SessionFolders, from: { readonly after?: number }): Promise<AcpSession> {
    const { runtime, clock, contextTokens } = this.#options;
    const client = { context: this.#clientOf(), hasForms: Boolean(this.#capabilities.elicitation?.form) };
    const session = joinForClient({ runtime, clock, contextTokens, client, opened, roots, from, caller: this.#caller });
    this.#sessions.set(session.id, session);
    await session.ready();
    return session;
  }

  async #close(sessionId: string): Promise<object> {
    const session = this.#sessionOf(sessionId);
    await session.close();
    this.#sessions.delete(sessionId);
    return {};
  }

  async #delete(sessionId: string): Promise<object> {
    const { runtime } = this.#options;
    if (this.#sessions.has(sessionId)) await this.#close(sessionId);
    const isDeleted = await runtime.deleteSession(sessionId, this.#caller).catch(rethrow);
    if (!isDeleted) throw RequestError.sessionNotFound(sessionId);
    return {};
  }

  async #setMode(sessionId: string, modeId: string): Promise<object> {
    const session = this.#sessionOf(sessionId);
    session.choices.setMode(modeId);
    await session.send({ sessionUpdate: 'config_option_update', configOptions: session.choices.configOptions });
    return {};
  }

  async #setOption(sessionId: string, configId: string, value: string | boolean) {
    const session = this.#sessionOf(sessionId);
    const before = session.choices.mode;
    session.choices.setOption(configId, value);
    const { mode: currentModeId, configOptions } = session.choices;
    if (currentModeId !== before) await session.send({ sessionUpdate: 'current_mode_update', currentModeId });
    return { configOptions };
  }

  #sessionOf(sessionId: string): AcpSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  #clientOf(): AgentContext {
    if (!this.#client) throw new Error('No client is connected.');
    return this.#client;
  }
}

const choicesOf = ({ choices }: AcpSession) => ({ modes: choices.modeState, configOptions: choices.configOptions });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Throws an error of the runtime as that of a request, with its code. */
function rethrow(error: unknown): never {
  if (error instanceof RangeError) throw RequestError.invalidParams({ code: 'bad_field' }, error.message);
  if (error instanceof SessionInUse) throw new RequestError(-32_600, error.message, { code: error.code });
  if (error instanceof Error && 'code' in error) throw new RequestError(-32_603, error.message, { code: error.code });
  throw error;
}
