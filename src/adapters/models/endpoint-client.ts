// Sends one request by the openai client, and reports how its response ended. Loads the client: only endpoint.ts imports this file, at its
// first request. One client serves all requests to its endpoint.

import OpenAI from 'openai';
import type { ModelStream } from '../../core/contracts/provider.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { classifyFailure, type Failure } from './classify-failure.ts';
import { isError } from './error-message.ts';
import { ErrorResponse, rejectErrorStatus } from './error-response.ts';
import type { ModelExchange, ResponseReader } from './model-exchange.ts';
import { endedEarly, endUnfinished, type RequestEnd } from './request-end.ts';
import { RequestInFlight } from './request-in-flight.ts';
import { OverLimit, responseLimits } from './response-limits.ts';
import { retryHeadersOf } from './retry.ts';
import type { SilenceLimits, SilenceTimer } from './silence-timer.ts';
import { createHttpFetch, type Fetch } from './transport/http-fetch.ts';
import { type BodyReader, readStreamedBody } from './transport/read-body.ts';

/** How long what follows the finish reason (usage, the end of the stream) may take, in milliseconds. */
export const tailMs = 5_000;

export interface EndpointClientOptions extends SilenceLimits {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers in which the client describes its machine. They are not sent (null): the endpoint does not need them, and they are a third of the bytes of a request's head. */
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
      baseURL: options.baseURL,
      apiKey: options.apiKey,
      defaultHeaders: { ...platformHeaders, ...options.headers },
      fetch: stoppedBySignal(rejectErrorStatus(createHttpFetch())),
      maxRetries: 0, // the client's own retries would go on after a stop
      timeout: 2 ** 31 - 1, // SilenceTimer has its own timeouts, by the injected clock
      logLevel: 'off', // it would write to the console what becomes a failure here
    });
  }

  /** Sends one request. Never rejects. Leaves no listener on the stream's signal and no open request. */
  async send(exchange: ModelExchange, stream: ModelStream): Promise<RequestEnd> {
    const { clock } = this.#options;
    const reader = exchange.createReader(stream);
    using inFlight = new RequestInFlight(stream.signal, this.#options);
    let failed: Failure;
    try {
      const contentType = await this.#post(exchange, inFlight).then((response) =>
        this.#read(response, reader, inFlight),
      );
      failed = endedEarly(reader, `The response (${contentType})`);
    } catch (error) {
      failed = classifyFailure(error, clock);
    }
    // a response that has finished is whole, whatever happened after the finish
    if (reader.isFinished) return { end: reader.completedEnd(), failure: null };
    return endUnfinished(reader, stream.signal, inFlight.timeout ?? failed);
  }

  #post(exchange: ModelExchange, { signal }: RequestInFlight): Promise<Response> {
    const body = exchange.createBody();
    return this.#client.post(exchange.path, { body, fetchOptions: stopBy(signal) }).asResponse();
  }

  /** Passes the events of a response to its reader. Resolves with its content type when it has ended, or was stopped; keeps no more of it. */
  #read(response: Response, reader: ResponseReader, { signal, silence }: RequestInFlight): Promise<string> {
    const contentType = response.headers.get('content-type') ?? 'no content type';
    const body = new ExchangeBody({
      clock: this.#options.clock,
      reader,
      silence,
      signal,
      retry: retryHeadersOf(response),
    });
    return readStreamedBody(response, body).then(() => contentType);
  }
}

interface Reading {
  readonly clock: Clock;
  readonly reader: ResponseReader;
  readonly silence: SilenceTimer;
  readonly signal: AbortSignal;
  /** The headers that say when to try again. */
  readonly retry: Headers | undefined;
}

/** Passes what the body of a response has to its reader, within the limits. */
class ExchangeBody implements BodyReader {
  readonly #reading: Reading;
  #bytes = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get clock(): Clock {
    return this.#reading.clock;
  }

  onPiece(bytes: number): void {
    this.#reading.silence.noteBytes();
    this.#bytes += bytes;
    if (this.#bytes > responseLimits.maxBodyBytes) throw new OverLimit('maxBodyBytes');
  }

  onEvent(data: string, type: string): boolean {
    const { reader, signal, retry } = this.#reading;
    if (signal.aborted) return true;
    if (isDone(data)) {
      reader.markDone();
      return true;
    }
    if (type === 'error') throw new ErrorResponse(null, retry, data);
    reader.addEvent(this.#parse(data));
    this.#noteFinish();
    return signal.aborted;
  }

  onJson(text: string): void {
    this.#reading.reader.addWhole(this.#parse(text));
    this.#noteFinish();
  }

  #parse(text: string): unknown {
    const value: unknown = JSON.parse(text);
    if (isError(value)) throw new ErrorResponse(null, this.#reading.retry, value);
    return value;
  }

  #noteFinish(): void {
    const { reader, silence } = this.#reading;
    if (reader.isFinished) silence.finish(tailMs);
  }
}

/** The option that passes the signal of a request to `fetch`. The client's own option for it costs a second controller, which garbage collection has to clean up. */
const stop = Symbol('stop');

const stopBy = (signal: AbortSignal): object => ({ [stop]: signal });

const stoppedBySignal =
  (fetch: Fetch): Fetch =>
  (input, init: RequestInit & { [stop]?: AbortSignal } = {}) =>
    fetch(input, { ...init, signal: init[stop] ?? init.signal ?? null });

const doneForms = /^\s*"?\[DONE\]"?\s*$/i;

/** The length is checked first, because it is cheap and rules out nearly every event. */
const isDone = (data: string): boolean => data.length < 32 && doneForms.test(data);
