// Sends one request by the openai client, and reports how its response ended. Loads the client: only endpoint.ts imports this file, at its
// first request. One client serves all requests to its endpoint.

import { addAbortListener } from 'node:events';
import OpenAI from 'openai';
import type { Clock } from '../sources/sources.ts';
import { classifyFailure, createFailure, type Failure } from './classify-failure.ts';
import { isError } from './error-message.ts';
import { ErrorResponse, rejectErrorStatus } from './error-response.ts';
import type { ModelExchange, ResponseReader } from './model-exchange.ts';
import type { ModelStream } from './provider.ts';
import type { RequestEnd } from './request-end.ts';
import { OverLimit, responseLimits } from './response-limits.ts';
import { SilenceTimer } from './silence-timer.ts';
import { createHttpFetch } from './transport/http-fetch.ts';
import { readStreamedBody } from './transport/read-body.ts';

/** How long what follows the finish reason (usage, the end of the stream) may take, in milliseconds. */
export const tailMs = 5_000;

export interface EndpointClientOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
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
    const { clock, firstByteMs, idleMs } = this.#options;
    const reader = createReader(stream);
    const connection = new AbortController();
    let failed: Failure | null = null;
    using _ = addAbortListener(stream.signal, () => connection.abort());
    using silence = new SilenceTimer({
      clock,
      firstByteMs,
      idleMs,
      onSilent(message) {
        failed = createFailure('model_timed_out', message);
        connection.abort();
      },
    });
    try {
      const response = await this.#client.post(path, { body, signal: connection.signal }).asResponse();
      await this.#read(response, { reader, silence, isStopped: () => connection.signal.aborted });
      failed ??= endedEarly(reader, response.headers.get('content-type'));
    } catch (error) {
      failed ??= classifyFailure(error, clock);
    }
    return judge(reader, stream.signal, failed);
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

/** A body can end without an error and without a response: only the reader knows what it contained. */
function endedEarly({ hasStarted }: ResponseReader, contentType: string | null): Failure {
  if (hasStarted) return createFailure('model_cut_off', 'The response ended before it was complete.');
  return createFailure(
    'model_malformed',
    `The response (${contentType ?? 'no content type'}) contains nothing of a model's response.`,
  );
}

function judge(reader: ResponseReader, signal: AbortSignal, failed: Failure | null): RequestEnd {
  // a response that has finished is whole, whatever happened after the finish
  if (reader.isFinished) return { end: reader.completedEnd(), failure: null };
  const usage = reader.usage();
  if (signal.aborted || failed === null)
    return { end: { kind: 'stopped', calls: reader.wholeCalls(), usage }, failure: null };
  const { code, message } = failed;
  return { end: { kind: 'failed', code, message, usage }, failure: reader.hasStarted ? null : failed };
}
