// `@belay/runtime/ai-sdk`: the transport of `useChat` and of chats of the AI SDK, whose stop is a CANCEL that waits for its receipt. It imports nothing of the AI SDK.
//
// 1. The session has the history: a request has the last message of the assistant, with the answers in it, and what follows it.
// 2. A stop asks the stop route, and the chat is ready again when all has settled. It works whatever the gateway does with lost requests.
import type { ServerFrameOf } from '../wire/server-frames.ts';

/** The receipt of a stop: what became of each node. */
export type StopReceipt = Omit<ServerFrameOf<'cancel_settled'>, 'seq' | 'at'>;

type SentHeaders = Readonly<Record<string, string>>;

export interface BelayTransportOptions {
  /** The address of the door. Default: `/api/ui`. */
  readonly api?: string | undefined;
  /** Headers of each request: `{ authorization: 'Bearer …' }`. */
  readonly headers?: SentHeaders | (() => SentHeaders | Promise<SentHeaders>) | undefined;
  /** The profile that a new session is opened with. Default: the first one of the speaker. */
  readonly profile?: string | undefined;
  readonly credentials?: RequestInit['credentials'] | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Receives the receipt of a stop of the chat; null: nothing ran. */
  readonly onReceipt?: ((receipt: StopReceipt | null, chatId: string) => void) | undefined;
  /** Receives the failure of a stop of the chat: whether its work has ended is not known. */
  readonly onStopFailed?: ((error: unknown, chatId: string) => void) | undefined;
}

export interface TransportStopOptions {
  /** `mine` (default): all of the speaker's in the session. `session`: all that the speaker may stop. Or the id of a node. */
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
  /** Skips the grace: processes are killed at once. */
  readonly force?: boolean | undefined;
}

/** What a chat asks of its transport. */
interface ChatRequest {
  readonly chatId: string;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | Headers | undefined;
  readonly body?: object | undefined;
}

interface ChatMessages extends ChatRequest {
  readonly trigger: string;
  readonly messageId: string | undefined;
  readonly messages: readonly { readonly role: string }[];
}

/** A request that the gateway has refused, with its code. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly status: number;
  /** A code of docs/errors.md; empty: the reply was not of a gateway. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A transport for chats of the AI SDK. `Chunk`: its UIMessageChunk. The id of a chat is the name of its session. */
export class BelayTransport<Chunk> {
  /** A resumed stream begins with the first chunk of its message. */
  readonly resumeStreamIsReplay = true;
  readonly #options: BelayTransportOptions;

  constructor(options: BelayTransportOptions = {}) {
    this.#options = options;
  }

  /** Says, or answers. Resolves with the chunks of the turn. */
  sendMessages({ trigger, messageId, messages, body, ...request }: ChatMessages): Promise<ReadableStream<Chunk>> {
    const start = messages.findLastIndex(({ role }) => role === 'assistant');
    const sent = messages.slice(Math.max(0, start));
    const { profile } = this.#options;
    const asked = { ...body, id: request.chatId, messages: sent, trigger, messageId, ...(profile && { profile }) };
    return this.#stream(request, '', asked) as Promise<ReadableStream<Chunk>>; // only a GET finds nothing
  }

  /** Resolves with the chunks of the turn that runs, from the first one on; null: none runs. */
  reconnectToStream(request: ChatRequest): Promise<ReadableStream<Chunk> | null> {
    return this.#stream(request, '/stream');
  }

  /** Stops what runs in the session of a chat. Resolves with the receipt when all of it has settled; null: nothing ran. Rejects with a `TransportError`. */
  async stop(chatId: string, options: TransportStopOptions = {}): Promise<StopReceipt | null> {
    const response = await this.#fetch({ chatId }, '/stop', options);
    const { receipt } = (await response.json()) as { readonly receipt: StopReceipt | null }; // as docs/how-to/use-chat.md has it
    return receipt;
  }

  async #fetch({ chatId, headers }: ChatRequest, path: string, body?: object): Promise<Response> {
    const { api = '/api/ui', headers: given = {}, credentials, fetch: send = fetch } = this.#options;
    const own = typeof given === 'function' ? await given() : given;
    const more = headers instanceof Headers ? Object.fromEntries(headers) : headers;
    const response = await send(`${api.replace(/\/$/, '')}/${encodeURIComponent(chatId)}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...(body && { 'content-type': 'application/json' }), ...own, ...more },
      ...(body && { body: JSON.stringify(body) }),
      ...(credentials && { credentials }),
    });
    if (response.ok) return response;
    throw transportError(response.status, await response.text());
  }

  async #stream(request: ChatRequest, path: string, body?: object): Promise<ReadableStream<Chunk> | null> {
    const { abortSignal } = request;
    if (abortSignal?.aborted) throw stopError();
    const responding = this.#fetch(request, path, body);
    const stop = Promise.withResolvers<void>();
    let isStopped = false;
    // the chat would go on at once, and leave the work to itself: it waits for the end of the stream instead
    abortSignal?.addEventListener('abort', (event) => {
      event.stopImmediatePropagation();
      isStopped = true;
      stop.resolve(this.#stopFor(request.chatId, responding));
    });
    const response = await responding;
    if (isStopped) {
      await stop.promise;
      await response.body?.cancel();
      throw stopError();
    }
    if (response.status === 204 || !response.body) return null;
    const whenStopped = () => (isStopped ? stop.promise : undefined);
    return chunksOf<Chunk>(response.body, stop.promise, whenStopped);
  }

  /** Stops after the turn was opened: a stop before would find nothing. */
  async #stopFor(chatId: string, responding: Promise<Response>): Promise<void> {
    const { onReceipt, onStopFailed } = this.#options;
    try {
      await responding.catch(() => {}); // the chat gets this error
      const receipt = await this.stop(chatId);
      onReceipt?.(receipt, chatId);
    } catch (error) {
      onStopFailed?.(error, chatId);
    }
  }
}

/** Makes a transport: `useChat({ id: 'standup', transport: belayTransport({ api: 'https://…/api/ui' }) })`. */
export const belayTransport = <Chunk>(options?: BelayTransportOptions): BelayTransport<Chunk> =>
  new BelayTransport<Chunk>(options);

/** The error that a chat expects of a request that it has stopped. */
const stopError = () => new DOMException('The chat was stopped.', 'AbortError');

function transportError(status: number, text: string): TransportError {
  try {
    const { code, message } = JSON.parse(text) as { readonly code: unknown; readonly message: unknown }; // read as texts, whatever they are
    return new TransportError(status, String(code), String(message));
  } catch {
    return new TransportError(status, '', text || `The gateway replied ${status}.`);
  }
}

/**
 * Parses server-sent events with JSON.
 *
 * @param stopped When it resolves, the stream ends.
 * @param waitForStop Returns a promise while a stop is under way: the stream does not end before it.
 */
function chunksOf<Chunk>(
  body: ReadableStream<Uint8Array>,
  stopped: Promise<void>,
  waitForStop: () => Promise<void> | undefined,
): ReadableStream<Chunk> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  void stopped.then(() => reader.cancel().catch(() => {}));
  return new ReadableStream<Chunk>({
    async pull(controller) {
      for (let isWaiting = true; isWaiting; ) {
        const { done, value } = await reader.read();
        if (done) {
          await waitForStop();
          return controller.close();
        }
        const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
        rest = events.pop() ?? '';
        const data = events.filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]');
        // the door sends chunks only
        for (const event of data) controller.enqueue(JSON.parse(event.slice('data: '.length)) as Chunk);
        isWaiting = data.length === 0;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
