// A `fetch` on node:http and node:https, for model endpoints. It costs less than Node's own, and an abort destroys the socket in the same tick.
//
// 1. Redirects are not followed: the key and the conversation would go to an address that nobody has configured.
// 2. It has no timeouts of its own: whoever sends a request knows how long the model may think (request-in-flight.ts).
// 3. The headers and the web stream of a response are made when they are read first: a reader of its Node stream does without them.
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import zlib from 'node:zlib'; // as a whole: an older Node lacks some names, and is to reach the sentence that says so
import { fieldsOf } from '../../../core/collections/fields.ts';
import { type ConnectionPool, sharedConnectionPool } from './connection-pool.ts';
import { TunnelAgent, type TunnelOptions } from './tunnel-agent.ts';

export type Fetch = typeof globalThis.fetch;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Creates a `fetch` whose connections come from `pool`. As the standard says, it rejects with the signal's reason after an abort, and with
 * a TypeError whose cause is the network's error.
 */
export function createHttpFetch(pool: ConnectionPool = sharedConnectionPool()): Fetch {
  return async (input, init) => {
    const request = readFetchRequest(input, init);
    request.signal?.throwIfAborted();
    try {
      const message = await send(request, pool);
      return responseTo(request, message);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}

/** A redirect that was not followed. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused';
  readonly code = 'ERR_REDIRECT_REFUSED';
}

/** The parts of a request of node:http. */
interface FetchRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Text and bytes can be sent again, a stream cannot. Null: none. */
  readonly body: string | Uint8Array | Readable | null;
  readonly signal: AbortSignal | null;
  readonly redirect: 'follow' | 'error' | 'manual';
}

/** Reads the arguments of `fetch`. Throws a TypeError for a URL that is not http or https, or has credentials. */
function readFetchRequest(input: string | URL | Request, init: RequestInit = {}): FetchRequest {
  const base = input instanceof Request ? input : null;
  const url = new URL(base?.url ?? String(input));
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`The protocol ${url.protocol} is not supported: the URL must start with http: or https:.`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('The URL contains credentials. Remove them from it, and send them in a header.');
  const headers = new Headers(init.headers ?? base?.headers);
  const { body, contentType } = readBody(init.body ?? base?.body);
  if (contentType !== null && !headers.has('content-type')) headers.set('content-type', contentType);
  // Node decompresses nothing by itself: an endpoint that compresses all the same is read by `decoded`
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
  return {
    method: (init.method ?? base?.method ?? 'GET').toUpperCase(),
    url,
    headers: Object.fromEntries(headers),
    body,
    signal: init.signal ?? base?.signal ?? null,
    redirect: init.redirect ?? base?.redirect ?? 'follow',
  };
}

interface ReadBody {
  readonly body: FetchRequest['body'];
  readonly contentType: string | null;
}

function readBody(body: RequestInit['body'] | NodeReadableStream): ReadBody {
  if (body === null || body === undefined) return { body: null, contentType: null };
  if (typeof body === 'string') return { body, contentType: 'text/plain;charset=UTF-8' };
  if (body instanceof Uint8Array) return { body, contentType: null };
  // forms, blobs, buffers, streams and iterables: Node's own Response knows how each is written, and its media type
  const written = new Response(body as ConstructorParameters<typeof Response>[0]); // one type of two packages
  return {
    body: written.body && Readable.fromWeb(written.body as NodeReadableStream), // one type of two packages
    contentType: written.headers.get('content-type'),
  };
}

/** Sends the request; once more if the server has closed a kept connection at the same moment. */
async function send(request: FetchRequest, pool: ConnectionPool): Promise<IncomingMessage> {
  const first = start(request, pool);
  try {
    return await first.response;
  } catch (error) {
    if (!isStale(first.sent, request, error)) throw error;
    return await start(request, pool).response;
  }
}

/** Whether a kept connection was closed before a response came. A stream cannot be sent again, and after an abort nothing is. */
function isStale(sent: ClientRequest, { body, signal }: FetchRequest, error: unknown): boolean {
  const { code } = fieldsOf(error);
  if (signal?.aborted || body instanceof Readable) return false;
  return sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

interface StartedRequest {
  readonly sent: ClientRequest;
  readonly response: Promise<IncomingMessage>;
}

function start({ method, url, headers, body, signal }: FetchRequest, pool: ConnectionPool): StartedRequest {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const requestByNode = url.protocol === 'https:' ? requestHttps : requestHttp;
  const agent = pool.agentFor(url);
  const connecting = agent instanceof TunnelAgent ? new AbortController() : null;
  const options: TunnelOptions = { method, headers, agent, ...(connecting && { connecting: connecting.signal }) };
  const sent = requestByNode(url, options);
  let response: IncomingMessage | null = null;
  // destroys the socket: while it connects, while the endpoint thinks, and while a body is read
  const destroy = () => {
    if (sent.socket === null) connecting?.abort();
    (response ?? sent).destroy(asError(signal?.reason));
  };
  signal?.addEventListener('abort', destroy);
  sent.on('response', (message) => {
    response = message;
    message.on('error', () => {}); // whoever reads the body gets it
    resolve(message);
  });
  sent.on('error', reject);
  sent.on('close', () => {
    signal?.removeEventListener('abort', destroy);
    reject(new Error('The connection was closed before a response arrived.'));
  });
  if (body instanceof Readable)
    pipeline(body, sent, () => {}); // an error of the body destroys `sent`
  else sent.end(body ?? undefined);
  return { sent, response: promise };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The request was aborted.', { cause: reason });
}

/** Makes the response. Throws a RangeError for a status below 200 or above 599. */
function responseTo({ url, method, redirect }: FetchRequest, message: IncomingMessage): Response {
  const { location } = message.headers;
  if (redirect !== 'manual' && location !== undefined && redirects.has(message.statusCode ?? 0)) {
    message.destroy();
    throw new RedirectRefused(
      `${url.origin} redirects to ${location}. Redirects are not followed: configure that address.`,
    );
  }
  const hasNoBody = method === 'HEAD' || bodiless.has(message.statusCode ?? 0);
  if (hasNoBody) message.resume();
  const response = new NodeResponse(message, hasNoBody ? null : decoded(message), url.href);
  return response as unknown as Response; // it has all members
}

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

// TypeScript declares the members of Response as properties, which a subclass cannot override by getters; in Node they are getters
const BareResponse = Response as unknown as new (
  body: null,
  init: ResponseInit,
) => Pick<Response, 'status' | 'statusText' | 'ok'>;

/** A response whose headers and body are made when they are read first. */
export class NodeResponse extends BareResponse {
  readonly url: string;
  /** The decompressed body; null: there is none. */
  readonly stream: Readable | null;
  readonly #message: IncomingMessage;
  #headers: Headers | undefined;
  #read: Response | undefined;

  constructor(message: IncomingMessage, stream: Readable | null, url: string) {
    const { statusCode = 0, statusMessage = '' } = message;
    // a `Response` refuses some characters
    const statusText = /^[\t\x20-\x7e]*$/.test(statusMessage) ? statusMessage : '';
    super(null, { status: statusCode, statusText });
    this.url = url;
    this.stream = stream;
    this.#message = message;
  }

  get headers(): Headers {
    if (this.#headers) return this.#headers;
    this.#headers = new Headers();
    const { rawHeaders } = this.#message;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2)
      this.#headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
    return this.#headers;
  }

  /** A response of Node's own, which reads the body. */
  get #whole(): Response {
    const { status, statusText, headers } = this;
    this.#read ??= new Response(this.stream && webStreamOf(this.stream), { status, statusText, headers });
    return this.#read;
  }

  get body(): Response['body'] {
    return this.stream && this.#whole.body;
  }

  get bodyUsed(): boolean {
    return this.#read?.bodyUsed ?? false;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole.arrayBuffer();
  }

  blob(): ReturnType<Response['blob']> {
    return this.#whole.blob();
  }

  bytes(): ReturnType<Response['bytes']> {
    return this.#whole.bytes();
  }

  formData(): ReturnType<Response['formData']> {
    return this.#whole.formData();
  }

  json(): ReturnType<Response['json']> {
    return this.#whole.json();
  }

  text(): Promise<string> {
    return this.#whole.text();
  }

  clone(): ReturnType<Response['clone']> {
    return this.#whole.clone();
  }
}

function webStreamOf(stream: Readable): ReadableStream<Uint8Array> {
  let pieces: AsyncIterator<Buffer> | undefined;
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      pieces ??= stream[Symbol.asyncIterator]();
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: () => void stream.destroy(),
  };
  return new ReadableStream(source, { highWaterMark: 0 }); // so that nothing is pulled until somebody reads
}

/** Decompresses what an endpoint compresses although it was asked not to. Each piece is decompressed as soon as it arrives. */
function decoded(message: IncomingMessage): Readable {
  const decompress = decompressors[message.headers['content-encoding']?.trim().toLowerCase() ?? ''];
  if (!decompress) return message;
  const output = decompress();
  output.on('error', () => {}); // whoever reads the body gets it; without a reader it would end the process
  message.on('error', (error) => output.destroy(error));
  message.on('close', () => {
    if (!message.complete) output.destroy();
  });
  output.on('close', () => {
    if (!message.complete) message.destroy();
  });
  return message.pipe(output);
}

const zlibFlush = { flush: zlib.constants.Z_SYNC_FLUSH };

const decompressors: Readonly<Record<string, () => ReturnType<typeof zlib.createGunzip>>> = {
  gzip: () => zlib.createGunzip(zlibFlush),
  'x-gzip': () => zlib.createGunzip(zlibFlush),
  deflate: () => zlib.createInflate(zlibFlush),
  br: () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdDecompress({ flush: zlib.constants.ZSTD_e_flush }),
};
