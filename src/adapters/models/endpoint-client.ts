// Sends one request by the openai client, and reports how its response ended. One client serves all requests to its endpoint.
// Importing this file loads the client, which takes time: endpoint.ts imports it with its first request.

import OpenAI from 'openai';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { ModelStream } from '../../core/contracts/provider.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { classifyFailure, type Failure } from './classify-failure.ts';
import { ErrorResponse } from './error-response.ts';
import type { ModelExchange, ResponseReader } from './model-exchange.ts';
import { readErrorResponse } from './read-error-response.ts';
import { endedEarly, endUnfinished, type RequestEnd } from './request-end.ts';
import { RequestInFlight, type SilenceLimits } from './request-in-flight.ts';
import { OverLimit, responseLimits } from './response-limits.ts';
import { createHttpFetch, type Fetch } from './transport/http-fetch.ts';
import { type BodyReader, readStreamedBody } from './transport/read-body.ts';

/** How long what follows the finish reason (usage, the end of the stream) may take, in milliseconds. */
export const tailMs = 5_000;

export interface EndpointClientOptions extends SilenceLimits {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers in which the client describes its machine. Null: they are not sent. The endpoint does not need them, and they are a third of the bytes of a request's head. */
const platformHeaders = Object.fromEntries(
  ['Lang', 'Package-Version', 'OS', 'Arch', 'Runtime', 'Runtime-Version', 'Retry-Count', 'Timeout'].map((name) => [
    `X-Stainless-${name}`,
    null,
  ]),
);

export class EndpointClient {
  readonly #client: OpenAI;
  readonly #options: EndpointClientOptions;

  constructor(options: EndpointClientOptions) {
    this.#options = options;
    this.#client = new OpenAI({
      baseURL: options.baseUrl,
      apiKey: options.apiKey,
      defaultHeaders: { ...platformHeaders, ...options.headers },
      fetch: stoppedBySignal(rejectErrorStatus(createHttpFetch())),
      maxRetries: 0, // the client's own retries would go on after a stop
      timeout: 2 ** 31 - 1, // RequestInFlight has its own timeouts, by the injected clock
      logLevel: 'off', // the client would print errors that are reported as a failure here
    });
  }

  /** Sends one request. Never rejects. When it resolves, no listener is left on the stream's signal, and no request is in flight. */
  async send(exchange: ModelExchange, stream: ModelStream): Promise<RequestEnd> {
    const { clock } = this.#options;
    const reader = exchange.createReader(stream);
    using inFlight = new RequestInFlight(stream.signal, this.#options);
    let failed: Failure;
    try {
      const contentType = await this.#post(exchange, reader, inFlight);
      failed = endedEarly(reader, `The response (${contentType})`);
    } catch (error) {
      failed = classifyFailure(error, clock);
    }
    // a response that has finished is whole, whatever happened after the finish
    if (reader.isFinished) return { end: reader.completedEnd(), failure: null };
    return endUnfinished(reader, stream.signal, inFlight.timeout ?? failed);
  }

  /**
   * Sends the request, and passes the events of its response to the reader. Resolves with the content type when the response has ended, or
   * was stopped. It is no `async` function, so that nothing keeps the body that was sent until then.
   */
  #post(exchange: ModelExchange, reader: ResponseReader, inFlight: RequestInFlight): Promise<string> {
    const { clock } = this.#options;
    const fetchOptions: object = { [stopSignal]: inFlight.signal };
    const options = { body: exchange.createBody(), fetchOptions };
    return this.#client
      .post(exchange.path, options)
      .asResponse()
      .then((response) => {
        const contentType = response.headers.get('content-type') ?? 'no content type';
        const body = new ExchangeBody({ clock, reader, inFlight, retry: retryHeadersOf(response) });
        return readStreamedBody(response, body).then(() => contentType);
      });
  }
}

interface ExchangeBodyOptions {
  readonly clock: Clock;
  readonly reader: ResponseReader;
  readonly inFlight: RequestInFlight;
  /** The headers of the response that say whether and when to send the request again. */
  readonly retry: Headers | undefined;
}

/** Passes the events of a response's body to its reader, within the limits. */
class ExchangeBody implements BodyReader {
  readonly #options: ExchangeBodyOptions;
  #bytes = 0;

  constructor(options: ExchangeBodyOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  onPiece(bytes: number): void {
    this.#options.inFlight.noteBytes();
    this.#bytes += bytes;
    if (this.#bytes > responseLimits.maxBodyBytes) throw new OverLimit('maxBodyBytes');
  }

  onEvent(data: string, type: string): boolean {
    const { reader, inFlight, retry } = this.#options;
    if (inFlight.signal.aborted) return true;
    // the length is checked first, because it is cheap and rules out nearly every event
    if (data.length < 32 && doneMark.test(data)) {
      reader.markDone();
      return true;
    }
    if (type === 'error') throw new ErrorResponse(null, retry, data);
    reader.addEvent(this.#parse(data));
    if (reader.isFinished) inFlight.noteFinish(tailMs);
    return inFlight.signal.aborted;
  }

  onJson(text: string): void {
    this.#options.reader.addWhole(this.#parse(text));
  }

  #parse(text: string): unknown {
    const value: unknown = JSON.parse(text);
    if (isError(value)) throw new ErrorResponse(null, this.#options.retry, value);
    return value;
  }
}

/** The data of the event that closes a stream, in the forms that endpoints send. */
const doneMark = /^\s*"?\[DONE\]"?\s*$/i;

/** Whether a value is an error that came in place of a response, or of a part of it. */
function isError(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isError);
  const { error, errors, object, type, base_resp: reply } = fieldsOf(value);
  return Boolean(error || errors || fieldsOf(reply)['status_code']) || object === 'error' || type === 'error';
}

/** Returns those headers of a response that say whether and when to send the request again; undefined: it has none. */
function retryHeadersOf({ headers }: Response): Headers | undefined {
  const names = ['retry-after-ms', 'retry-after', 'x-should-retry'].filter((name) => headers.get(name));
  return names.length > 0 ? new Headers(names.map((name) => [name, headers.get(name) ?? ''])) : undefined;
}

/** The option that passes the signal of a request to `fetch`. The client's own option for it creates a second controller for each request. */
const stopSignal = Symbol('stop signal');

const stoppedBySignal =
  (fetch: Fetch): Fetch =>
  (input, init: RequestInit & { [stopSignal]?: AbortSignal } = {}) =>
    fetch(input, { ...init, signal: init[stopSignal] ?? init.signal ?? null });

/** Returns a `fetch` that rejects with an `ErrorResponse` for every status but 2xx. */
function rejectErrorStatus(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    throw await readErrorResponse(response);
  };
}
