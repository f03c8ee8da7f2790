// One session with a server, and its calls.
//
// 1. A stopped call is cancelled on the server (`notifications/cancelled`, by its request's id) in the tick of its signal. The server owes no
//    response then, so silence proves nothing: the call has ended when a response came all the same, or when nothing of the session is left.
//    The result of such a response is kept as evidence, although the SDK drops it; the call stays stopped.
//    A server that is trusted needs no proof.
// 2. While a stopped call is in its grace, no call is sent. After the grace none ever is: the session is closed with its last live call, at
//    once if there is none, and its stopped calls end with it. Until then they are pending, and their stop budget makes them abandoned.
//    From 2026-07-28 on, closing the stream of a request over HTTP is its cancellation, and there is no session to close: the call ends with it.
// 3. A session that is closed takes its own live calls along, and nothing else.
// 4. One call may be several requests: from 2026-07-28 on a server may ask between them, and has nothing to stop meanwhile; a call may become
//    a task, which is cancelled as one: the response to that proves its end.
import { addAbortListener } from 'node:events';
import {
  type CallToolResult,
  type Client,
  type ContentBlock,
  isCallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Tool as ListedTool,
  type Progress,
  type RequestId,
  type RequestOptions,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import type { Cause } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import { truncate } from '../../core/text/bound-text.ts';
import { failureAfterRun, McpFailure, mcpFailureOf, SessionOver } from './mcp-failure.ts';
import { type ClientOptions, connectClient, listTools, sdkFailure, withoutTimeout } from './sdk-client.ts';
import { type CallObserver, type CallRequest, type ServerCallEnd, stoppedUnsent } from './server-call.ts';
import { listOffersOf, type OfferLists, readFrom, type ServerReadRequest } from './server-reads.ts';
import type { ServerTransport } from './server-transport.ts';

export interface ConnectionOptions extends ClientOptions {
  readonly isTrusted: boolean;
}

/** A call from its sending to its response. */
interface SentCall {
  readonly observer: CallObserver;
  /** `live`: its request is in flight. `asking`: the server waits for an answer before it goes on. `over`: there is nothing to cancel. */
  phase: 'unsent' | 'live' | 'asking' | 'stopped' | 'over';
  /** It has been `asking`, or is a task: the server has run a part of it. */
  hasRun: boolean;
  /** The id of its newest request. */
  id: RequestId | null;
  /** Cancels the task that the call has become; null: it is none. */
  cancelTask: (() => Promise<void>) | null;
}

interface CallToSend {
  readonly request: CallRequest;
  readonly params: { readonly name: string; readonly arguments: Record<string, unknown> };
  readonly options: RequestOptions;
}

/** A call that was cancelled, until it has ended. */
interface StoppedCall {
  readonly onResponse: (response: JSONRPCMessage) => void;
  readonly skipGrace: AbortSignal;
}

/** Starts a session. Rejects as `connectClient` does. */
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
  /** By the object of their arguments, or the id of their task: each request of a call contains one of them. */
  readonly #calls = new Map<unknown, SentCall>();
  readonly #stopped = new Map<RequestId, StoppedCall>();
  /** Resolves, and is replaced, when the state changes or a stopped call ends. */
  #changed = Promise.withResolvers<void>();

  constructor(client: Client, transport: ServerTransport, options: ConnectionOptions) {
    this.transport = transport;
    this.#client = client;
    this.#options = options;
    transport.onrequest = (request) => this.#noteRequest(request);
    transport.onresponse = (id, response) => this.#receiveResponse(id, response);
    void transport.ended.then(() => this.#enter('closing'));
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      if (params.mode === 'url') return { action: 'decline' };
      const { message, requestedSchema: schema } = params;
      const asking = this.#callThatAsks();
      if (!asking) return { action: 'decline' };
      return { ...(await asking.observer.elicit({ message, schema, signal: mcpReq.signal })) };
    });
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

  /** What the server says about the use of its tools; empty: nothing. */
  get instructions(): string {
    return this.#client.getInstructions() ?? '';
  }

  /** Whether the server says when its tools change. */
  get announcesChanges(): boolean {
    return this.#client.getServerCapabilities()?.tools?.listChanged === true;
  }

  /** Resolves when it is decided whether another call may be sent: not before the grace of the stopped ones is over. */
  async isUsable(): Promise<boolean> {
    while (this.#isOpen && this.#stopped.size > 0) await this.#changed.promise;
    if (this.#state === 'closing' || this.transport.state.phase === 'closing') await this.transport.ended;
    return this.#isOpen;
  }

  async call(request: CallRequest, observer: CallObserver): Promise<ServerCallEnd> {
    const { name, arguments: given } = request;
    const { signal, onProgress } = observer;
    if (signal.aborted) return stoppedUnsent;
    if (!this.#isOpen || this.#stopped.size > 0) return { kind: 'unsent' };
    const unsendable = this.#checkSendable(given);
    if (unsendable) return { kind: 'failed', failure: unsendable };
    const call: SentCall = { observer, phase: 'unsent', hasRun: false, id: null, cancelTask: null };
    const args = { ...given }; // an object of this call alone
    this.#calls.set(args, call);
    const cancelling = new AbortController();
    const options = {
      // not the call's own signal: what the SDK sends about it is decided here
      signal: cancelling.signal,
      onprogress: (progress: Progress) => (signal.aborted ? undefined : onProgress(progress)),
      ...withoutTimeout,
    };
    const response = this.#sendCall(call, { request, params: { name, arguments: args }, options });
    const end = Promise.withResolvers<ServerCallEnd>();
    using _ = addAbortListener(signal, () => {
      if (call.phase === 'live' || call.phase === 'asking') end.resolve(this.#stopCall(call, cancelling));
      if (call.phase !== 'unsent') return;
      cancelling.abort(cancelReason(signal.reason));
      end.resolve(stoppedUnsent);
    });
    response.then(
      (result) => end.resolve({ kind: 'completed', result }),
      (error) => end.resolve(this.#endOf(error, call)),
    );
    try {
      return await end.promise;
    } finally {
      for (const [key, one] of this.#calls) if (one === call) this.#calls.delete(key);
      this.#closeIfDrained();
    }
  }

  #sendCall(call: SentCall, { request, params, options }: CallToSend): Promise<CallToolResult> {
    const client = this.#client;
    if (request.isTask) return requestTask(client, { params, options, onTask: (id) => this.#noteTask(call, id) });
    if (!this.isModernHttp) return client.request({ method: 'tools/call', params }, options);
    // the SDK repeats arguments in headers; without an output schema it does not judge the result
    const toolDefinition = { name: params.name, inputSchema: request.inputSchema };
    return client.callTool(params, { ...options, toolDefinition });
  }

  /** Reads what the server offers beside its tools. A read has no effect: it ends with its signal, and nothing is waited for. */
  read(request: ServerReadRequest, signal: AbortSignal): Promise<readonly ContentBlock[] | 'stopped'> {
    return this.#readUntil(signal, (options) => readFrom(this.#client, request, options));
  }

  /** Lists what the server offers people. It ends with its signal. */
  listOffers(signal: AbortSignal): Promise<OfferLists | 'stopped'> {
    return this.#readUntil(signal, (options) => listOffersOf(this.#client, options));
  }

  async #readUntil<T>(signal: AbortSignal, read: (options: RequestOptions) => Promise<T>): Promise<T | 'stopped'> {
    const cancelling = new AbortController();
    using _ = addAbortListener(signal, () => cancelling.abort(cancelReason(signal.reason)));
    try {
      return await read({ signal: cancelling.signal, ...withoutTimeout });
    } catch (error) {
      if (signal.aborted) return 'stopped';
      throw await this.#failureOf(error);
    }
  }

  /** What the server offers beside its tools. */
  get offers(): { readonly resources: boolean; readonly prompts: boolean } {
    const { resources, prompts } = this.#client.getServerCapabilities() ?? {};
    return { resources: resources !== undefined, prompts: prompts !== undefined };
  }

  get #isOpen(): boolean {
    return this.#state === 'open' && this.transport.state.phase === 'open';
  }

  get #hasLiveCalls(): boolean {
    return [...this.#calls.values()].some(({ phase }) => phase === 'live' || phase === 'asking');
  }

  /** Whether it speaks a revision from 2026-07-28 on over HTTP: there closing the stream of a request cancels it, and headers repeat parts of it. */
  get isModernHttp(): boolean {
    return this.#client.getProtocolEra() === 'modern' && this.transport.process === null;
  }

  #enter(state: 'draining' | 'closing'): void {
    this.#state = state;
    this.#notifyChange();
  }

  #notifyChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #noteTask(call: SentCall, taskId: string): void {
    this.#calls.set(taskId, call);
    call.cancelTask = () => cancelTask(this.#client, taskId);
  }

  #noteRequest({ id, method, params }: JSONRPCRequest): void {
    const key = method === 'tools/call' ? params?.['arguments'] : params?.['taskId'];
    const call = this.#calls.get(key);
    if (!call || call.phase === 'stopped') return;
    call.id = id;
    call.phase = 'live';
  }

  #receiveResponse(id: RequestId, response: JSONRPCMessage): void {
    const call = [...this.#calls.values()].find((one) => one.id === id);
    if (call?.phase === 'live') call.phase = isLastResponse(response) ? 'over' : 'asking';
    if (call?.phase === 'asking') call.hasRun = true;
    this.#stopped.get(id)?.onResponse(response);
  }

  /** A server does not say for which call it asks: if several are in flight, for the newest. */
  #callThatAsks(): SentCall | undefined {
    const calls = [...this.#calls.values()];
    return calls.findLast(({ phase }) => phase === 'asking') ?? calls.findLast(({ phase }) => phase === 'live');
  }

  /** Why a call is not sent: a large one must not harm the others. */
  #checkSendable(args: CallRequest['arguments']): McpFailure | null {
    const { maxFrameBytes } = this.#options.limits;
    if (Buffer.byteLength(JSON.stringify(args)) > maxFrameBytes)
      return new McpFailure(`is not sent arguments of more than ${maxFrameBytes} bytes`, { code: 'too_large' });
    if (this.transport.unreadBytes > maxFrameBytes)
      return new McpFailure('has not read the calls before this one', { code: 'mcp_unavailable' });
    return null;
  }

  async #endOf(error: unknown, { hasRun }: SentCall): Promise<ServerCallEnd> {
    if (error instanceof SessionOver && !hasRun) return { kind: 'unsent' };
    const failure = await this.#failureOf(error);
    return { kind: 'failed', failure: hasRun ? failureAfterRun(failure) : failure };
  }

  /** What closed the transport explains more than the SDK's error. */
  async #failureOf(error: unknown): Promise<McpFailure> {
    if (error instanceof McpFailure) return error;
    return this.transport.state.phase === 'open' ? sdkFailure(error) : mcpFailureOf(await this.transport.ended);
  }

  /** Cancels the call on the server before it returns; resolves when the call has ended. */
  async #stopCall(call: SentCall, cancelling: AbortController): Promise<ServerCallEnd> {
    const { id, phase } = call;
    const { signal, skipGrace } = call.observer;
    call.phase = 'stopped';
    cancelling.abort(cancelReason(signal.reason));
    const taskEnd = call.cancelTask?.();
    const isOver = (phase === 'asking' && !taskEnd) || this.#options.isTrusted;
    if (id === null || isOver || this.isModernHttp) {
      if (id !== null) this.transport.forgetRequest(id);
      this.#closeIfDrained();
      return { kind: 'stopped', forced: false, isSeen: isOver };
    }
    const response = Promise.withResolvers<JSONRPCMessage | 'task ended'>();
    taskEnd?.then(() => response.resolve('task ended')).catch(() => {}); // then the end of the server is waited for
    this.#stopped.set(id, { onResponse: response.resolve, skipGrace });
    const disarm = this.#options.clock.after(this.#options.limits.cancelGraceMs, () => this.#drain());
    using _ = addAbortListener(skipGrace, () => this.#drain());
    this.#closeIfDrained();
    const end = await Promise.race([response.promise, this.transport.ended]);
    disarm();
    this.#stopped.delete(id);
    this.transport.forgetRequest(id);
    this.#notifyChange();
    if (end === 'task ended') return { kind: 'stopped', forced: false, isSeen: true };
    if ('jsonrpc' in end) return { kind: 'stopped', forced: false, isSeen: true, lateResult: lateResultOf(end) };
    return { kind: 'stopped', forced: end.forced, isSeen: this.transport.process !== null };
  }

  /** No further call is sent. */
  #drain(): void {
    if (this.#state === 'open') this.#enter('draining');
    this.#closeIfDrained();
  }

  #closeIfDrained(): void {
    if (this.#state === 'open' || this.#hasLiveCalls) return;
    if (this.#state === 'draining') {
      this.#enter('closing');
      const message = 'was closed, because a call on it had not stopped';
      this.transport.shutDown({ kind: 'closed', message }, 'now');
    }
    if ([...this.#stopped.values()].some(({ skipGrace }) => skipGrace.aborted)) this.transport.kill();
  }
}

const resultIn = (response: JSONRPCMessage): object | undefined => ('result' in response ? response.result : undefined);

/** Whether the call ends with the response. It goes on as another request if the server asks for an answer, or has made a task of it. */
function isLastResponse(response: JSONRPCMessage): boolean {
  const { resultType, task } = fieldsOf(resultIn(response));
  return resultType !== 'input_required' && task === undefined;
}

/** The result in a response to a stopped call; left out if it is an error, or no result of a call. */
function lateResultOf(response: JSONRPCMessage): CallToolResult | undefined {
  const result = resultIn(response);
  return isCallToolResult(result) ? result : undefined;
}

const maxReasonChars = 500;

/** Returns the words of whoever stopped the call, or else what stopped it. `cause`: the reason of the call's signal. */
function cancelReason(cause: unknown): string {
  const { reason, source }: { readonly [Field in keyof Cause]?: unknown } = fieldsOf(cause);
  if (typeof reason === 'string' && reason !== '') return truncate(reason, maxReasonChars);
  return typeof source === 'string' ? `the call was stopped: ${source}` : 'the call was stopped';
}

/** How long a server keeps the result of a task, in milliseconds: it is asked for at once. */
const taskTtlMs = 3_600_000;

interface TaskRequest extends Omit<CallToSend, 'request'> {
  /** Called as soon as the server has named the task. */
  onTask(id: string): void;
}

/** Starts a call that can only be run as a task, and resolves with its result: the response names the task, and another request gets the result. Rejects with what the SDK throws. */
async function requestTask(client: Client, { params, options, onTask }: TaskRequest): Promise<CallToolResult> {
  const start = { method: 'tools/call', params: { ...params, task: { ttl: taskTtlMs } } };
  const { task } = await client.request(start, specTypeSchemas.CreateTaskResult, options);
  onTask(task.taskId);
  return await client.request(
    { method: 'tasks/result', params: { taskId: task.taskId } },
    specTypeSchemas.CallToolResult,
    options,
  );
}

/** Resolves when the server says that the task is cancelled, or over. */
async function cancelTask(client: Client, taskId: string): Promise<void> {
  await client.request(
    { method: 'tasks/cancel', params: { taskId } },
    specTypeSchemas.CancelTaskResult,
    withoutTimeout,
  );
}
