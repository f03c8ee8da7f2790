// Sends one request by the openai client, and reports how its response ended. Loads the client: only endpoint.ts imports this file, at its
// first request. One client serves all requests to its endpoint.

import OpenAI from 'openai';
import { classifyFailure, type Failure } from './classify-failure.ts';
import { isError } from './error-message.ts';
import { ErrorResponse, rejectErrorStatus } from './error-response.ts';
import type { ModelExchange, ResponseReader } from './model-exchange.ts';
import type { ModelStream } from './provider.ts';
import { endedEarly, endUnfinished, type RequestEnd } from './request-end.ts';
import { RequestInFlight } from './request-in-flight.ts';
import { OverLimit, responseLimits } from './response-limits.ts';
import type { SilenceLimits, SilenceTimer } from './silence-timer.ts';
import { createHttpFetch } from './transport/http-fetch.ts';
import { readStreamedBody } from './transport/read-body.ts';

/** How long what follows the finish reason (usage, the end of the stream) may take, in milliseconds. */
export const tailMs = 5_000;

export interface EndpointClientOptions extends SilenceLimits {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class EndpointClient {
  readonly #client: OpenAI;
  readonly #options: EndpointClientOptions;

  constructor(options: EndpointClientOptions) {
    this.#options = options;
    this.#client = new OpenAI({
      baseURL: options.baseURL,
      apiKey: options.apiKey,
      defaultHeaders: options.headers,
      fetch: rejectErrorStatus(createHttpFetch()),
      maxRetries: 0, // the client's own retries would go on after a stop
      timeout: 2 ** 31 - 1, // SilenceTimer has its own timeouts, by the injected clock
      logLevel: 'off', // it would write to the console what becomes a failure here
    });
  }

  /** Sends one request. Never rejects. Leaves no listener on the stream's signal and no open request. */
  async send({ path, body, createReader }: ModelExchange, stream: ModelStream): Promise<RequestEnd> {
    const { clock } = this.#options;
    const reader = createReader(stream);
    using inFlight = new RequestInFlight(stream.signal, this.#options);
    const { signal, silence } = inFlight;
    let failed: Failure;
    try {
      const response = await this.#client.post(path, { body, signal }).asResponse();
      await this.#read(response, { reader, silence, isStopped: () => signal.aborted });
      failed = endedEarly(reader, `The response (${response.headers.get('content-type') ?? 'no content type'})`);
    } catch (error) {
      failed = classifyFailure(error, clock);
    }
    // a response that has finished is whole, whatever happened after the finish
    if (reader.isFinished) return { end: reader.completedEnd(), failure: null };
    return endUnfinished(reader, stream.signal, inFlight.timeout ?? failed);
  }

  /** Passes the events of a response to its reader, until the response ends or the request is stopped. */
  async #read(response: Response, { reader, silence, isStopped }: Reading): Promise<void> {
    let bodyBytes = 0;
    const add = (value: unknown, addTo: (value: unknown) => void) => {
      if (isError(value)) throw new ErrorResponse(null, response.headers, value);
      addTo(value);
      if (reader.isFinished) silence.finish(tailMs);
    };
    await readStreamedBody(response, {
      clock: this.#options.clock,
      onPiece(pieceBytes) {
        silence.noteBytes();
        bodyBytes += pieceBytes;
        if (bodyBytes > responseLimits.maxBodyBytes) throw new OverLimit('maxBodyBytes');
      },
      onEvent(data, type) {
        if (isStopped()) return true;
        if (isDone(data)) {
          reader.markDone();
          return true;
        }
        if (type === 'error') throw new ErrorResponse(null, response.headers, data);
        add(JSON.parse(data), (value) => reader.addEvent(value));
        return isStopped();
      },
      onJson: (text) => add(JSON.parse(text), (value) => reader.addWhole(value)),
    });
  }
}

const isDone = (data: string): boolean => /^\s*"?\[DONE\]"?\s*$/i.test(data);

interface Reading {
  readonly reader: ResponseReader;
  readonly silence: SilenceTimer;
  readonly isStopped: () => boolean;
}
