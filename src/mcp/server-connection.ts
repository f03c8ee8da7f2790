// One session with a server, and its calls.
//
// 1. A stopped call is cancelled on the server (`notifications/cancelled`, by its request's id) in the tick of its signal. The server owes no
//    response then, so silence proves nothing: the call has ended when a response came all the same, or when nothing of the session is left.
//    The result of such a response is kept as evidence, although the SDK drops it; the call stays stopped.
//    A server that is trusted needs no proof.
// 2. While a stopped call is in its grace, no call is sent. After the grace none ever is: the session is closed with its last live call, at
//    once if there is none, and its stopped calls end with it. Until then they are pending, and their stop budget makes them abandoned.
// 3. A session that is closed takes its own live calls along, and nothing else.
import { addAbortListener } from 'node:events';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  type JSONRPCMessage,
  type Tool as ListedTool,
} from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../sources/sources.ts';
import { failureOf, McpFailure, SessionOver } from './mcp-failure.ts';
import type { McpLimits } from './mcp-limits.ts';
import { connectClient, listTools, sdkFailure, withoutTimeout } from './sdk-client.ts';
import type { CallEnd, CallObserver, CallRequest } from './server-call.ts';
import type { ServerTransport } from './server-transport.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly isTrusted: boolean;
}

/** A call that was cancelled, until it has ended. */
interface StoppedCall {
  readonly onResponse: (response: JSONRPCMessage) => void;
  readonly skipGrace: AbortSignal;
}

/** Sends `initialize`. Rejects with an `McpFailure` when nothing of the transport is left. */
export async function openConnection(
  transport: ServerTransport,
  options: ConnectionOptions,
): Promise<ServerConnection> {
  return new ServerConnection(await connectClient(transport, options), transport, options);
}

export class ServerConnection {
  readonly transport: ServerTransport;
  readonly #client: Client;
  readonly #options: ConnectionOptions;
  #state: 'open' | 'draining' | 'closing' = 'open';
  /** The requests of calls that are neither stopped nor over. */
  readonly #live = new Set<number>();
  readonly #stopped = new Map<number, StoppedCall>();
  /** Resolves, and is replaced, when the state changes or a stopped call ends. */
  #changed = Promise.withResolvers<void>();

  constructor(client: Client, transport: ServerTransport, options: ConnectionOptions) {
    this.transport = transport;
    this.#client = client;
    this.#options = options;
    transport.onresponse = (id, response) => this.#receiveResponse(Number(id), response);
    void transport.ended.then(() => this.#enter('closing'));
  }

  /** Rejects with an `McpFailure`. A server that does not list its tools within `limits.startMs` is closed. */
  async list(): Promise<readonly ListedTool[]> {
    const { clock, limits } = this.#options;
    const overdue = { kind: 'lost', message: `did not list its tools within ${limits.startMs} ms` } as const;
    const disarm = clock.after(limits.startMs, () => this.transport.shutDown(overdue, 'now'));
    try {
      return await listTools(this.#client, limits.maxTools);
    } catch (error) {
      throw await this.#failureOf(error);
    } finally {
      disarm();
    }
  }

  /** Resolves when it is decided whether another call may be sent: not before the grace of the stopped ones is over. */
  async isUsable(): Promise<boolean> {
    while (this.#isOpen && this.#stopped.size > 0) await this.#changed.promise;
    if (this.#state === 'closing' || this.transport.state.phase === 'closing') await this.transport.ended;
    return this.#isOpen;
  }

  async call(request: CallRequest, { signal, skipGrace, onProgress }: CallObserver): Promise<CallEnd> {
    if (signal.aborted) return { kind: 'stopped', forced: false, isSeen: true };
    if (!this.#isOpen || this.#stopped.size > 0) return { kind: 'unsent' };
    const unsendable = this.#checkSendable(request);
    if (unsendable) return { kind: 'failed', failure: unsendable };
    const before = this.transport.newestId;
    const cancelling = new AbortController();
    const response = this.#client.request({ method: 'tools/call', params: { ...request } }, CallToolResultSchema, {
      // not the call's own signal: the SDK never removes its listener, and would cancel what has long had its response
      signal: cancelling.signal,
      onprogress: (progress) => (signal.aborted ? undefined : onProgress(progress)),
      ...withoutTimeout,
    });
    const id = this.transport.newestId;
    if (id !== before) this.#live.add(id); // else it could not be sent
    const end = Promise.withResolvers<CallEnd>();
    using _ = addAbortListener(signal, () => {
      if (this.#live.delete(id)) end.resolve(this.#stopCall(id, cancelling, skipGrace));
    });
    response.then(
      (result) => end.resolve({ kind: 'completed', result }),
      (error) => end.resolve(this.#endOf(error)),
    );
    try {
      return await end.promise;
    } finally {
      this.#live.delete(id);
      this.#closeIfDrained();
    }
  }

  get #isOpen(): boolean {
    return this.#state === 'open' && this.transport.state.phase === 'open';
  }

  #enter(state: 'draining' | 'closing'): void {
    this.#state = state;
    this.#notifyChange();
  }

  #notifyChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #receiveResponse(id: number, response: JSONRPCMessage): void {
    this.#live.delete(id); // from here on there is nothing to cancel
    this.#stopped.get(id)?.onResponse(response);
  }

  /** Why a call is not sent: a large one must not harm the others. */
  #checkSendable(request: CallRequest): McpFailure | null {
    const { maxFrameBytes } = this.#options.limits;
    if (Buffer.byteLength(JSON.stringify(request.arguments)) > maxFrameBytes)
      return new McpFailure(`is not sent arguments of more than ${maxFrameBytes} bytes`, { code: 'too_large' });
    if (this.transport.unreadBytes > maxFrameBytes)
      return new McpFailure('has not read the calls before this one', { code: 'mcp_unavailable' });
    return null;
  }

  async #endOf(error: unknown): Promise<CallEnd> {
    if (error instanceof SessionOver) return { kind: 'unsent' };
    return { kind: 'failed', failure: await this.#failureOf(error) };
  }

  /** What closed the transport explains more than the SDK's error. */
  async #failureOf(error: unknown): Promise<McpFailure> {
    if (error instanceof McpFailure) return error;
    return this.transport.state.phase === 'open' ? sdkFailure(error) : failureOf(await this.transport.ended);
  }

  /** Cancels the call on the server before it returns; resolves when the call has ended. */
  async #stopCall(id: number, cancelling: AbortController, skipGrace: AbortSignal): Promise<CallEnd> {
    cancelling.abort('the call was stopped');
    if (this.#options.isTrusted) {
      this.transport.forgetRequest(id);
      this.#closeIfDrained();
      return { kind: 'stopped', forced: false, isSeen: true };
    }
    const response = Promise.withResolvers<JSONRPCMessage>();
    this.#stopped.set(id, { onResponse: response.resolve, skipGrace });
    const disarm = this.#options.clock.after(this.#options.limits.cancelGraceMs, () => this.#drain());
    using _ = addAbortListener(skipGrace, () => this.#drain());
    this.#closeIfDrained();
    const end = await Promise.race([response.promise, this.transport.ended]);
    disarm();
    this.#stopped.delete(id);
    this.transport.forgetRequest(id);
    this.#notifyChange();
    if ('jsonrpc' in end) return { kind: 'stopped', forced: false, isSeen: true, lateResult: lateResultOf(end) };
    return { kind: 'stopped', forced: end.forced, isSeen: this.transport.process !== null };
  }

  /** No further call is sent. */
  #drain(): void {
    if (this.#state === 'open') this.#enter('draining');
    this.#closeIfDrained();
  }

  #closeIfDrained(): void {
    if (this.#state === 'open' || this.#live.size > 0) return;
    if (this.#state === 'draining') {
      this.#enter('closing');
      const message = 'was closed, because a call on it had not stopped';
      this.transport.shutDown({ kind: 'closed', message }, 'now');
    }
    if ([...this.#stopped.values()].some(({ skipGrace }) => skipGrace.aborted)) this.transport.kill();
  }
}

/** The result in a response to a stopped call; left out if it is an error, or no result of a call. */
const lateResultOf = (response: JSONRPCMessage): CallToolResult | undefined =>
  'result' in response ? CallToolResultSchema.safeParse(response.result).data : undefined;
