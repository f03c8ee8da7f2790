// Keeps one MCP server usable: starts it when a call needs it, and again, after a wait, when its session has ended.
import type { ContentBlock, Tool as ListedTool } from '@modelcontextprotocol/client';
import type { StartedProcess } from '../../core/contracts/tool.ts';
import { raceAbort } from '../../core/sources/abort-signals.ts';
import { pause } from '../../core/sources/pause.ts';
import { RestartBackoff } from '../../core/sources/restart-backoff.ts';
import { HttpTransport } from './http-transport.ts';
import { McpFailure, SessionOver, StartRefused } from './mcp-failure.ts';
import type { ClientOptions, Start } from './sdk-client.ts';
import { type CallObserver, type CallRequest, type ServerCallEnd, stoppedUnsent } from './server-call.ts';
import type { McpServer } from './server-config.ts';
import { openConnection, type ServerConnection } from './server-connection.ts';
import type { OfferLists, ServerReadRequest, ServerReads } from './server-reads.ts';
import type { ServerTransport } from './server-transport.ts';
import { openStdioTransport, type StdioTransportOptions } from './stdio-transport.ts';
import type { ServerSignIn } from './stored-sign-in.ts';

export interface ToolServer {
  /** Starts the server, if it is not running, and lists its tools. Rejects with an `McpFailure`. */
  list(): Promise<ServerOffer>;
  /** Makes one call. A failure is an end of the kind `failed`: the promise never rejects. */
  call(request: CallRequest, observer: ServerCallObserver): Promise<ServerCallEnd>;
  /** Closes every transport. Resolves when all of them have ended. Later calls fail. */
  close(): Promise<void>;
}

export interface RestartingServerOptions
  extends StdioTransportOptions,
    Pick<ClientOptions, 'roots' | 'onToolsChanged'> {
  /** Sends tokens to a server over HTTP; null: there is no sign-in. */
  readonly signIn: ServerSignIn | null;
}

/** What a server offers. */
export interface ServerOffer {
  readonly tools: readonly ListedTool[];
  /** What it says about the use of its tools; empty: nothing. */
  readonly instructions: string;
  /** Whether calls repeat marked arguments in headers. */
  readonly hasHeaderArguments: boolean;
  /** Beside its tools. */
  readonly reads: { readonly resources: boolean; readonly prompts: boolean };
}

export interface ServerCallObserver extends CallObserver {
  /** Called before the call is sent, with the process that it depends on. */
  onProcess(process: StartedProcess): void;
}

/** Attempts to send a call: a session may end before the call is sent to it. */
const maxAttempts = 5;
const closeReason = { kind: 'closed', message: 'was closed' } as const;

export class RestartingServer implements ToolServer, ServerReads {
  readonly #config: McpServer;
  readonly #options: RestartingServerOptions;
  readonly #transports = new Set<ServerTransport>();
  readonly #closing = new AbortController();
  readonly #backoff: RestartBackoff;
  /** The ways to start a session: first the one that this server has followed last. */
  #starts: readonly Start[];
  #hasBeenOpen = false;
  /** The session that is being opened, or is open; undefined: the next call opens one. */
  #connection: Promise<ServerConnection> | undefined;

  constructor(spec: McpServer, options: RestartingServerOptions) {
    this.#config = spec;
    this.#starts = startsOf(spec);
    this.#options = options;
    this.#backoff = new RestartBackoff(options.clock, options.limits);
  }

  async list(): Promise<ServerOffer> {
    const connection = await this.#connect();
    return {
      tools: await connection.list(),
      instructions: connection.instructions,
      hasHeaderArguments: connection.isModernHttp,
      reads: connection.offers,
    };
  }

  async call(request: CallRequest, observer: ServerCallObserver): Promise<ServerCallEnd> {
    for (let tries = 0; tries < maxAttempts; tries++) {
      const connecting = this.#connect().catch((error): McpFailure => error);
      const connection = await raceAbort(connecting, observer.signal);
      if (connection === 'aborted') return stoppedUnsent;
      if (connection instanceof Error) return { kind: 'failed', failure: connection };
      const { process } = connection.transport;
      if (process) observer.onProcess(process);
      const end = await connection.call(request, observer);
      if (end.kind === 'completed') this.#backoff.noteSuccess();
      if (end.kind !== 'unsent') return end;
    }
    return { kind: 'failed', failure: new SessionOver() };
  }

  async read(request: ServerReadRequest, signal: AbortSignal): Promise<readonly ContentBlock[] | 'stopped'> {
    const connection = await raceAbort(this.#connect(), signal);
    return connection === 'aborted' ? 'stopped' : await connection.read(request, signal);
  }

  async listOffers(signal: AbortSignal): Promise<OfferLists | 'stopped'> {
    const connection = await raceAbort(this.#connect(), signal);
    return connection === 'aborted' ? 'stopped' : await connection.listOffers(signal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const transport of this.#transports) transport.shutDown(closeReason, 'gracefully');
    await this.#waitForTransports();
    await this.#connection?.catch(() => {});
    await this.#waitForTransports(); // a transport may have been opened meanwhile
  }

  async #waitForTransports(): Promise<void> {
    await Promise.all([...this.#transports].map((transport) => transport.ended));
  }

  /** Resolves with a session that accepts calls. Concurrent callers get the same session. */
  async #connect(): Promise<ServerConnection> {
    for (;;) {
      this.#connection ??= this.#open();
      const opening = this.#connection;
      try {
        const connection = await opening;
        if (await connection.isUsable()) return connection;
        this.#forget(opening);
      } catch (error) {
        this.#forget(opening);
        throw error;
      }
    }
  }

  #forget(opening: Promise<ServerConnection>): void {
    if (this.#connection === opening) this.#connection = undefined;
  }

  async #open(): Promise<ServerConnection> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    const { waitMs } = this.#backoff;
    if (waitMs > 0) await pause(clock, waitMs, signal);
    try {
      if (signal.aborted) throw new McpFailure('was closed', { code: 'mcp_unavailable' });
      const connection = await this.#openByAnyStart();
      if (this.#hasBeenOpen && connection.announcesChanges) this.#options.onToolsChanged(); // while it was away
      this.#hasBeenOpen = true;
      void connection.transport.ended.then(({ kind }) =>
        kind === 'closed' ? this.#backoff.noteClosed() : this.#backoff.noteFailure(),
      );
      return connection;
    } catch (error) {
      this.#backoff.noteFailure();
      throw error;
    }
  }

  /** Tries one start after the other, until the server follows one, or fails in another way than by refusing it. */
  async #openByAnyStart(): Promise<ServerConnection> {
    let refusal: unknown;
    for (const start of this.#starts) {
      try {
        const connection = await this.#openConnection(start);
        this.#starts = [start, ...this.#starts.filter((other) => other !== start)];
        return connection;
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  async #openConnection(start: Start): Promise<ServerConnection> {
    const { clock, limits, roots, onToolsChanged } = this.#options;
    const transport = await this.#openTransport();
    this.#transports.add(transport);
    void transport.ended.then(() => this.#transports.delete(transport));
    if (this.#closing.signal.aborted) transport.shutDown(closeReason, 'now');
    const isTrusted = this.#config.trusted ?? false;
    return await openConnection(transport, { clock, limits, roots, onToolsChanged, isTrusted, start });
  }

  async #openTransport(): Promise<ServerTransport> {
    return 'command' in this.#config
      ? await openStdioTransport(this.#config, this.#options)
      : new HttpTransport(this.#config, this.#options);
  }
}

/**
 * A process gets `initialize` first: some end at any other first request, and each attempt is another process. Over HTTP the newest revision is asked for first, as
 * the protocol wants it. The older HTTP, with one stream of server-sent events, has `initialize` alone.
 */
function startsOf(spec: McpServer): readonly Start[] {
  if ('command' in spec) return ['initialize', 'discover'];
  return spec.transport === 'sse' ? ['initialize'] : ['discover', 'initialize'];
}
