// Transports the messages of a server at an address, by streamable HTTP. It replaces the SDK's transport, which does not report a stream that
// ends without its response, cannot close the stream of one request, and has no limits.
//
// 1. `send` of a request resolves with its response, or rejects with the reason why none will come.
// 2. A stream that breaks is resumed if the server has numbered its events, until the call is cancelled.
// 3. In the revisions that the SDK negotiates (up to 2025-11-25) closing a stream cancels nothing: `notifications/cancelled` does, so it is
//    sent first. The stream is closed as soon as its response is forgotten.
import { isInitializedNotification, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../sources/sources.ts';
import { isEventStream, readBodyUpTo } from './http-body.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { networkFailure } from './http-failure.ts';
import { HttpStreams } from './http-streams.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { failureOf, McpFailure, SessionOver } from './mcp-failure.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { HttpServer } from './server-config.ts';
import type { CloseReason, ServerTransport, TransportEnd, TransportState } from './server-transport.ts';

export interface HttpTransportOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
}

export class HttpTransport implements ServerTransport {
  onclose?: ServerTransport['onclose'];
  onerror?: ServerTransport['onerror'];
  onmessage?: ServerTransport['onmessage'];
  onresponse: ServerTransport['onresponse'];
  readonly unreadBytes = 0;
  readonly process = null;
  readonly #options: HttpTransportOptions;
  readonly #endpoint: HttpEndpoint;
  readonly #incoming: IncomingMessages;
  readonly #streams: HttpStreams;
  /** In flight: requests of MCP by their id, others by an object. */
  readonly #inFlight = new Map<number | object, AbortController>();
  readonly #cancelled = new Set<number>();
  readonly #killing = new AbortController();
  readonly #ended = Promise.withResolvers<TransportEnd>();
  #state: TransportState = { phase: 'open' };

  /** Throws a TypeError if the server's URL is invalid. */
  constructor(server: HttpServer, options: HttpTransportOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.#endpoint = new HttpEndpoint(server);
    const onViolation = (message: string) => this.shutDown({ kind: 'protocol', message });
    this.#incoming = new IncomingMessages({
      clock,
      limits,
      onMessage: (message) => this.onmessage?.(message),
      onResponse: (id, response) => this.onresponse?.(id, response),
      onViolation,
    });
    this.#streams = new HttpStreams({
      endpoint: this.#endpoint,
      clock,
      maxFrameBytes: limits.maxFrameBytes,
      onData: (data) => this.#incoming.receive(data),
      onViolation,
    });
  }

  get state(): TransportState {
    return this.#state;
  }

  get ended(): Promise<TransportEnd> {
    return this.#ended.promise;
  }

  get newestId(): number {
    return this.#incoming.newestId;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#state.phase === 'closing') throw failureOf(this.#state.reason);
    this.#incoming.noteSent(message);
    if ('method' in message && 'id' in message) {
      const id = Number(message.id);
      return this.#track(id, (signal) => this.#sendRequest(message, id, signal));
    }
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#cancelled.add(Number(message.params?.['requestId']));
    const { startMs } = this.#options.limits;
    return this.#track({}, (signal) => this.#sendNotification(message, signal), startMs);
  }

  setProtocolVersion(revision: string): void {
    this.#endpoint.setRevision(revision);
  }

  forgetRequest(requestId: RequestId): void {
    const id = Number(requestId);
    this.#incoming.forgetRequest(id);
    this.#cancelled.delete(id);
    this.#inFlight.get(id)?.abort();
  }

  async close(): Promise<void> {
    this.shutDown({ kind: 'closed', message: 'was closed' });
  }

  /** Closes every connection, and gives the server `limits.closeMs` to end its session, whatever the pace. */
  shutDown(reason: CloseReason): void {
    if (this.#state.phase === 'closing') return;
    this.#state = { phase: 'closing', reason };
    for (const request of this.#inFlight.values()) request.abort();
    void this.#endSession(reason);
  }

  kill(): void {
    this.#killing.abort();
  }

  async #endSession(reason: CloseReason): Promise<void> {
    const { clock, limits } = this.#options;
    const disarm = clock.after(limits.closeMs, () => this.kill());
    await this.#endpoint.deleteSession(this.#killing.signal).catch(() => {}); // many servers do not support it
    disarm();
    this.onclose?.();
    this.#ended.resolve({ ...reason, forced: false });
  }

  async #sendRequest(message: JSONRPCMessage, id: number, signal: AbortSignal): Promise<void> {
    const { maxFrameBytes } = this.#options.limits;
    const isWanted = () => this.#incoming.isWaiting(id) && !signal.aborted;
    const response = await this.#endpoint.post(message, signal);
    if (isEventStream(response)) {
      const isResumable = () => isWanted() && !this.#cancelled.has(id);
      return this.#streams.readResponse(response, { signal, isWanted, isResumable });
    }
    const body = await readBodyUpTo(response, maxFrameBytes);
    if (body === null)
      return this.shutDown({ kind: 'protocol', message: `sent a message of more than ${maxFrameBytes} bytes` });
    this.#incoming.receive(body);
    if (this.#incoming.isWaiting(id))
      throw new McpFailure('sent a body without the response to its request', { code: 'mcp_protocol' });
  }

  async #sendNotification(message: JSONRPCMessage, signal: AbortSignal): Promise<void> {
    (await this.#endpoint.post(message, signal)).destroy();
    if (isInitializedNotification(message))
      this.#track({}, (opened) => this.#streams.readNotifications(opened)).catch(() => {});
  }

  /** Rejects with an `McpFailure`, unless it was aborted. `timeoutMs` 0: none. */
  async #track(key: number | object, work: (signal: AbortSignal) => Promise<void>, timeoutMs = 0): Promise<void> {
    const aborting = new AbortController();
    this.#inFlight.set(key, aborting);
    const disarm = timeoutMs > 0 ? this.#options.clock.after(timeoutMs, () => aborting.abort()) : () => {};
    try {
      await work(aborting.signal);
    } catch (error) {
      if (aborting.signal.aborted) return;
      const failure = networkFailure(error);
      // a server that cannot be reached, or has forgotten the session, ends it for every call
      if (failure instanceof SessionOver || failure.code === 'mcp_unavailable')
        this.shutDown({ kind: 'lost', message: failure.message });
      throw failure;
    } finally {
      disarm();
      this.#inFlight.delete(key);
    }
  }
}
