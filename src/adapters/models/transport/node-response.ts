// Makes a `Response` of a message of node:http. Its headers and its web stream are made when they are read first: a reader of the Node
// stream does without them.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import zlib from 'node:zlib'; // as a whole: an older Node lacks some names, and is to reach the sentence that says so

const nodeStreams = new WeakMap<Response, Readable>();

/** Returns the decompressed body of a response that was made here; undefined of any other, and if there is no body. */
export const nodeStreamOf = (response: Response): Readable | undefined => nodeStreams.get(response);

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Makes the response. Throws a RangeError for a status below 200 or above 599. */
export function createNodeResponse(message: IncomingMessage, url: URL, method: string): Response {
  const stream = method === 'HEAD' || bodiless.has(message.statusCode ?? 0) ? null : decoded(message);
  if (stream === null) message.resume();
  const response = new NodeResponse(message, stream, url.href) as unknown as Response; // it has all members
  if (stream !== null) nodeStreams.set(response, stream);
  return response;
}

// TypeScript declares the members of Response as properties, which a subclass cannot override by getters; in Node they are getters
const BareResponse = Response as unknown as new (
  body: null,
  init: ResponseInit,
) => Pick<Response, 'status' | 'statusText' | 'ok'>;

/** A response whose headers and body are made when they are read first. */
class NodeResponse extends BareResponse {
  readonly #message: IncomingMessage;
  readonly #stream: Readable | null;
  readonly #url: string;
  #headers: Headers | undefined;
  #read: Response | undefined;

  constructor(message: IncomingMessage, stream: Readable | null, url: string) {
    super(null, { status: message.statusCode ?? 0, statusText: reasonOf(message) });
    this.#message = message;
    this.#stream = stream;
    this.#url = url;
  }

  get url(): string {
    return this.#url;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(headersOf(this.#message));
    return this.#headers;
  }

  /** A response of Node's own, which reads the body. */
  get #whole(): Response {
    const { status, statusText, headers } = this;
    this.#read ??= new Response(this.#stream && webStreamOf(this.#stream), { status, statusText, headers });
    return this.#read;
  }

  get body(): Response['body'] {
    return this.#stream && this.#whole.body;
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

/** The reason phrase, unless it has characters that a `Response` refuses. */
function reasonOf({ statusMessage = '' }: IncomingMessage): string {
  return /^[\t\x20-\x7e]*$/.test(statusMessage) ? statusMessage : '';
}

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']);
  return pairs;
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
