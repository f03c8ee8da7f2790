// Reads the arguments of a `fetch` into the parts of a request of node:http.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

export interface FetchRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Text and bytes can be sent again, a stream cannot. Null: none. */
  readonly body: string | Uint8Array | Readable | null;
  readonly signal: AbortSignal | null;
  readonly redirect: 'follow' | 'error' | 'manual';
}

/** Reads the arguments of `fetch`. Throws a TypeError for a URL that is not http or https, or has credentials. */
export function readFetchRequest(input: string | URL | Request, init: RequestInit = {}): FetchRequest {
  const base = input instanceof Request ? input : null;
  const url = checkedUrl(base?.url ?? String(input));
  const headers = new Headers(init.headers ?? base?.headers);
  const { body, contentType } = readBody(init.body ?? base?.body);
  if (contentType !== null && !headers.has('content-type')) headers.set('content-type', contentType);
  // Node decompresses nothing by itself: an endpoint that compresses all the same is read by node-response.ts
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

function checkedUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`The protocol ${url.protocol} is not supported: the URL must start with http: or https:.`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('The URL contains credentials. Remove them from it, and send them in a header.');
  return url;
}

interface ReadBody {
  readonly body: FetchRequest['body'];
  readonly contentType: string | null;
}

function readBody(body: RequestInit['body'] | ReadableStream): ReadBody {
  if (body === null || body === undefined) return { body: null, contentType: null };
  if (typeof body === 'string') return { body, contentType: 'text/plain;charset=UTF-8' };
  if (body instanceof Uint8Array) return { body, contentType: null };
  // forms, blobs, buffers, streams and iterables: Node's own Response knows how each is written, and its media type
  const written = new Response(body as ConstructorParameters<typeof Response>[0]); // one type of two packages
  return {
    body: written.body && Readable.fromWeb(written.body as ReadableStream), // one type of two packages
    contentType: written.headers.get('content-type'),
  };
}
