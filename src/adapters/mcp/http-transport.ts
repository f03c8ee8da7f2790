// Transports the messages of a server at an address: the SDK's transport with a `fetch` of our own, and the end of each request.
//
// 1. `send` of a request resolves when its response has come, or the request was closed. It rejects with the reason why no response will come.
// 2. A stream that breaks is resumed by the SDK if the server has numbered its events, until the call is cancelled.
// 3. In revisions up to 2025-11-25 closing a stream cancels nothing: `notifications/cancelled` does, so it is sent first.
//    `forgetRequest` closes the stream then. From 2026-07-28 on, closing the stream is the cancellation.
import { AsyncLocalStorage } from 'node:async_hooks';
import { addAbortListener } from 'node:events';
import {
  InsufficientScopeError,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../core/sources/sources.ts';
import { ConnectionPool } from '../models/transport/connection-pool.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { httpFailure } from './http-failure.ts';
import { HttpRequest } from './http-request.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { McpFailure, mcpFailureOf, SessionOver } from './mcp-failure.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { HttpServer } from './server-config.ts';
import type { CloseReason, ServerTransport, TransportEnd, TransportState } from './server-transport.ts';
import type { ServerSignIn } from './stored-sign-in.ts';

export interface HttpTransportOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  /** Sent with each request; null: none. */
  readonly signIn: ServerSignIn | null;
}

/** The transports of the SDK. `SSEClientTransport` is for servers of the revision 2024-11-05, which send all responses on one stream. */
type SdkTransport = StreamableHTTPClientTransport | SSEClientTransport;

/** Pauses before a stream is resumed, in milliseconds, if the server asks for none. */
const resumePauses = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};
const minResumeMs = 10;

export class HttpTransport implements ServerTransport {
  onclose?: ServerTransport['onclose'];
  onerror?: ServerTransport['onerror'];
  onmessage?: ServerTransport['onmessage'];
  onrequest: ServerTransport['onrequest'];
  onresponse: ServerTransport['onresponse'];
  readonly unreadBytes = 0;
  readonly process = null;
  readonly hasPerRequestStream = true;
  readonly #options: HttpTransportOptions;
  /** Keeps no connection for a second request: if the server closed it while a call is sent, nobody would know whether the call has run. */
  readonly #pool = new ConnectionPool(process.env, { keepAlive: false });
  readonly #sdk: SdkTransport;
  readonly #incoming: IncomingMessages;
  /** The messages in flight: requests by their id, notifications by an empty object each. */
  readonly #inFlight = new Map<RequestId | object, HttpRequest>();
  /** The request for which the running code was called: the SDK names it neither to `fetch` nor to the scheduler of resumptions. */
  readonly #context = new AsyncLocalStorage<HttpRequest>();
  readonly #ended = Promise.withResolvers<TransportEnd>();
  #state: TransportState = { phase: 'open' };
  #isKilled = false;

  /** Throws a TypeError if the server's URL is invalid. */
  constructor(server: HttpServer, options: HttpTransportOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.#incoming = new IncomingMessages({
      clock,
      limits,
      onMessage: (message) => this.onmessage?.(message),
      onResponse: (id, response) => this.#receiveResponse(id, response),
      onViolation: (message) => this.shutDown({ kind: 'protocol', message }),
    });
    this.#sdk = this.#createSdkTransport(server);
  }

  get state(): TransportState {
    return this.#state;
  }

  get ended(): Promise<TransportEnd> {
    return this.#ended.promise;
  }

  start(): Promise<void> {
    return this.#sdk.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#state.phase === 'closing') throw mcpFailureOf(this.#state.reason);
    this.#incoming.noteSent(message);
    if ('method' in message && 'id' in message) {
      this.onrequest?.(message);
      const sending = this.#track(message.id, (request) => this.#sendRequest(message, request, options));
      // the SDK decides by its own error whether the server wants `initialize` instead
      return message.method === 'server/discover' ? sending.catch(throwHttpError) : sending;
    }
    if ('method' in message && message.method === 'notifications/cancelled') this.#noteCancelled(message.params);
    return this.#track({}, (request) => this.#sendNotification(message, request));
  }

  setProtocolVersion(revision: string): void {
    this.#sdk.setProtocolVersion(revision);
  }

  forgetRequest(id: RequestId): void {
    this.#incoming.forgetRequest(id);
    this.#inFlight.get(id)?.close();
  }

  async close(): Promise<void> {
    this.shutDown({ kind: 'closed', message: 'was closed' });
  }

  /** Closes every request, and gives the server `limits.closeMs` to end its session. The `pace` of the contract is for servers that are processes. */
  shutDown(reason: CloseReason): void {
    if (this.#state.phase === 'closing') return;
    this.#state = { phase: 'closing', reason };
    // `#endSession` waits for the notifications
    for (const [key, request] of this.#inFlight) if (typeof key !== 'object') request.close();
    void this.#endSession(reason);
  }

  /**
   * Closes the SDK's transport as soon as the notifications in flight are sent, at the latest after `limits.cancelGraceMs`: a server elsewhere cannot be
   * killed, so the notification of a cancellation must reach it.
   */
  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    const { clock, limits } = this.#options;
    const disarm = clock.after(limits.cancelGraceMs, () => void this.#sdk.close()); // aborts the end of the session, too
    void this.#awaitNotifications().then(() => {
      disarm();
      void this.#sdk.close();
    });
  }

  /** Resolves when no notification is in flight any more. */
  async #awaitNotifications(): Promise<void> {
    const sending = [...this.#inFlight].flatMap(([key, { ended }]) => (typeof key === 'object' ? [ended] : []));
    await Promise.allSettled(sending);
  }

  #createSdkTransport({ url, headers = {}, transport }: HttpServer): SdkTransport {
    const { clock, limits, signIn } = this.#options;
    const { maxFrameBytes } = limits;
    const fetchForSignIn = createBoundedFetch({ pool: this.#pool, maxFrameBytes, listener: () => undefined });
    const options = {
      fetch: createBoundedFetch({ pool: this.#pool, maxFrameBytes, listener: () => this.#context.getStore() }),
      requestInit: { headers },
      ...(signIn && { authProvider: signIn.withFetch(fetchForSignIn) }),
    };
    const sdk =
      transport === 'sse'
        ? new SSEClientTransport(new URL(url), options)
        : new StreamableHTTPClientTransport(new URL(url), {
            ...options,
            reconnectionOptions: resumePauses,
            reconnectionScheduler: (resume, ms) => this.#scheduleResume(resume, ms, clock),
          });
    sdk.onmessage = (message) => this.#incoming.receive(message);
    sdk.onerror = (error) => this.#handleError(error);
    return sdk;
  }

  #scheduleResume(resume: () => void, ms: number, clock: Clock): (() => void) | undefined {
    if (this.#context.getStore()?.mayResume() === false) return undefined;
    return clock.after(Math.min(Math.max(ms, minResumeMs), resumePauses.maxReconnectionDelay), resume);
  }

  /**
   * Shuts down for the errors that the SDK reports and does not throw: a message that it cannot read, and the break of a stream that carries all responses,
   * which is not resumed.
   */
  #handleError(error: Error): void {
    if (error instanceof SseError) return this.shutDown({ kind: 'lost', message: httpFailure(error, false).message });
    if (error.name !== 'ZodError' && !(error instanceof SyntaxError)) return;
    if (this.#context.getStore()?.isStream === false) return; // an unreadable body: the SDK throws this error as well
    this.shutDown({ kind: 'protocol', message: httpFailure(error, false).message });
  }

  #receiveResponse(id: RequestId, response: JSONRPCMessage): void {
    this.onresponse?.(id, response);
    this.#inFlight.get(id)?.close();
  }

  #noteCancelled(params: Readonly<Record<string, unknown>> | undefined): void {
    const request = this.#inFlight.get(params?.['requestId'] as RequestId); // any other value finds nothing
    if (request) request.isCancelled = true;
  }

  async #endSession(reason: CloseReason): Promise<void> {
    const { clock, limits } = this.#options;
    const disarm = clock.after(limits.closeMs, () => void this.#sdk.close());
    await this.#awaitNotifications();
    if ('terminateSession' in this.#sdk && !this.#isKilled) await this.#sdk.terminateSession().catch(() => {}); // many servers do not support it
    disarm();
    await this.#sdk.close();
    this.#pool.close();
    this.onclose?.();
    this.#ended.resolve({ ...reason, forced: false });
  }

  async #sendRequest(message: JSONRPCRequest, request: HttpRequest, options?: TransportSendOptions): Promise<void> {
    using _ = options?.requestSignal ? addAbortListener(options.requestSignal, () => request.close()) : null;
    const sdk: Transport = this.#sdk;
    await sdk.send(message, {
      ...(options?.headers && { headers: options.headers }),
      requestSignal: request.signal,
      onresumptiontoken: () => request.noteEvent(),
      onRequestStreamEnd: () => request.endStream(),
    });
    const hasBody = 'sessionId' in this.#sdk && !request.isStream;
    if (hasBody && this.#incoming.isWaiting(message.id) && !request.signal.aborted)
      throw new McpFailure('sent a body without the response to its request', { code: 'mcp_protocol' });
    await request.ended;
  }

  async #sendNotification(message: JSONRPCMessage, request: HttpRequest): Promise<void> {
    const disarm = this.#options.clock.after(this.#options.limits.startMs, () => request.close());
    const sdk: Transport = this.#sdk;
    await sdk.send(message, { requestSignal: request.signal }).finally(disarm);
  }

  /** Sends a message by `work` as one in flight. Rejects with an `McpFailure`, unless the request was closed. */
  async #track(key: RequestId | object, work: (request: HttpRequest) => Promise<void>): Promise<void> {
    const request = new HttpRequest();
    this.#inFlight.set(key, request);
    try {
      await this.#context.run(request, () => work(request));
    } catch (error) {
      const reason = request.signal.aborted ? await request.ended.catch((failure: McpFailure) => failure) : error;
      if (reason === undefined) return; // it was closed
      // other calls go on: the token is good for them
      if (reason instanceof InsufficientScopeError)
        throw this.#options.signIn?.refuseScope(reason) ?? httpFailure(reason, true);
      const failure = httpFailure(reason, 'sessionId' in this.#sdk && this.#sdk.sessionId !== undefined);
      // a server that cannot be reached, or has forgotten the session, ends it for every call
      if (failure instanceof SessionOver || failure.code === 'mcp_unavailable')
        this.shutDown({ kind: 'lost', message: failure.message });
      throw failure;
    } finally {
      this.#inFlight.delete(key);
      request.close();
    }
  }
}

/** Rejects with the SDK's own error if the server has refused the request, else with the failure. */
function throwHttpError(failure: McpFailure): never {
  throw failure.cause instanceof SdkHttpError ? failure.cause : failure;
}
