// A `fetch` for one server at an address: each message of a response has a limit, and each request learns of its response.
import type { ConnectionPool } from '../models/transport/connection-pool.ts';
import { createHttpFetch, type Fetch } from '../models/transport/http-fetch.ts';
import { McpFailure } from './mcp-failure.ts';

/** The side of a request that learns of its response. */
export interface ResponseListener {
  /** Called for a response of success. */
  onResponse(isStream: boolean): void;
  /** Called for a message over the limit: the body ends there. */
  onTooLong(failure: McpFailure): void;
}

export interface BoundedFetchOptions {
  readonly pool: ConnectionPool;
  readonly maxFrameBytes: number;
  /** Returns the listener of the request that is being sent; undefined: none. */
  listener(): ResponseListener | undefined;
}

/** Creates the `fetch`. Redirects are left to its caller. */
export function createBoundedFetch({ pool, maxFrameBytes, listener }: BoundedFetchOptions): Fetch {
  const send = createHttpFetch(pool);
  return async (input, init) => {
    const requester = listener();
    const response = await send(input, { ...init, redirect: 'manual' });
    const isStream = isEventStream(response);
    if (response.ok) requester?.onResponse(isStream);
    if (!response.body) return response;
    const counter = new MessageCounter(isStream);
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (counter.count(chunk) <= maxFrameBytes) return controller.enqueue(chunk);
        const message = `sent a message of more than ${maxFrameBytes} bytes, which is the limit`;
        const failure = new McpFailure(message, { code: 'mcp_failed' });
        requester?.onTooLong(failure);
        controller.error(failure);
      },
    });
    const { status, statusText, headers, url } = response;
    const bounded = new Response(response.body.pipeThrough(bound), { status, statusText, headers });
    return Object.defineProperty(bounded, 'url', { value: url });
  };
}

/** Whether the body is a stream of server-sent events. */
const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts the bytes of the messages in a body: of events, each of which an empty line ends, or of the whole body. */
class MessageCounter {
  readonly #isStream: boolean;
  #bytes = 0;
  #isAtLineStart = false;

  constructor(isStream: boolean) {
    this.#isStream = isStream;
  }

  /** Returns the bytes of the longest message in the chunk, with what came of it before. */
  count(chunk: Uint8Array): number {
    let longest = 0;
    for (const byte of this.#isStream ? chunk : []) {
      this.#bytes++;
      if (byte === lineFeed && this.#isAtLineStart) {
        longest = Math.max(longest, this.#bytes);
        this.#bytes = 0;
      }
      if (byte !== carriageReturn) this.#isAtLineStart = byte === lineFeed;
    }
    if (!this.#isStream) this.#bytes += chunk.length;
    return Math.max(longest, this.#bytes);
  }
}
