// Sends one request by the openai client, and judges how its response ended. Loads the client: only openai.ts imports this file, at its
// first request. One client serves all requests to its endpoint.

import { addAbortListener } from 'node:events';
import OpenAI from 'openai';
import { type Usage, unknownUsage } from '../../machines/vocabulary.ts';
import { fieldsOf } from '../collections/untrusted-fields.ts';
import type { Clock } from '../sources/sources.ts';
import { classifyFailure, createFailure, type Failure } from './classify-failure.ts';
import { CompletionFold } from './completion-fold.ts';
import { ErrorResponse, rejectErrorStatus } from './error-response.ts';
import { estimatedUsage } from './estimate-usage.ts';
import { finishOf } from './finish-reason.ts';
import { chunkOf } from './plain-completion.ts';
import type { ModelEnd, ModelRequest, ModelStream } from './provider.ts';
import { OverLimit, responseLimits } from './response-limits.ts';
import { SilenceTimer } from './silence-timer.ts';
import { createHttpFetch } from './transport/http-fetch.ts';
import { readStreamedBody } from './transport/read-body.ts';

/** How long what follows the finish reason (usage, the end of the stream) may take, in milliseconds. */
export const tailMs = 5_000;

export interface OpenAIRequestsOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface RequestEnd {
  readonly end: ModelEnd;
  /** Set if nothing of a response has arrived and the request may be sent again. */
  readonly retry: Failure | null;
}

export class OpenAIRequests {
  readonly #client: OpenAI;
  readonly #options: OpenAIRequestsOptions;

  constructor(options: OpenAIRequestsOptions) {
    this.#options = options;
    this.#client = new OpenAI({
      baseURL: options.baseURL,
      apiKey: options.apiKey,
      fetch: rejectErrorStatus(createHttpFetch()),
      maxRetries: 0, // the client's own retries would go on after a stop
      timeout: 2 ** 31 - 1, // SilenceTimer has its own timeouts, by the injected clock
      logLevel: 'off', // it would write to the console what becomes a failure here
    });
  }

  /** Sends one request. Never rejects. Leaves no listener on the stream's signal and no open request. */
  async send(
    request: ModelRequest,
    body: OpenAI.ChatCompletionCreateParamsStreaming,
    stream: ModelStream,
  ): Promise<RequestEnd> {
    const { clock, firstByteMs, idleMs } = this.#options;
    const fold = new CompletionFold();
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
      const response = await this.#client.chat.completions.create(body, { signal: connection.signal }).asResponse();
      await this.#read(response, { fold, stream, silence, isStopped: () => connection.signal.aborted });
      failed ??= endedEarly(fold, response.headers.get('content-type'));
    } catch (error) {
      failed ??= classifyFailure(error, clock);
    }
    return judge(request, stream.signal, fold, failed);
  }

  /** Adds the chunks of a response to the fold, and publishes their text, until the response ends or the request is stopped. */
  async #read(response: Response, { fold, stream, silence, isStopped }: Reading): Promise<void> {
    let bodyBytes = 0;
    const addChunk = (chunk: unknown) => {
      const { error } = fieldsOf(chunk);
      if (error) throw new ErrorResponse(null, response.headers, chunk);
      const text = fold.addChunk(chunk);
      if (text !== '') stream.onText(text);
      if (fold.finish !== null) silence.finish(tailMs);
    };
    await readStreamedBody(response, {
      clock: this.#options.clock,
      onPiece(pieceBytes) {
        silence.noteBytes();
        bodyBytes += pieceBytes;
        if (bodyBytes > responseLimits.maxBodyBytes) throw new OverLimit('maxBodyBytes');
      },
      onEvent(data) {
        if (isStopped() || data === '[DONE]') return true;
        addChunk(JSON.parse(data));
        return isStopped();
      },
      onJson: (text) => addChunk(chunkOf(JSON.parse(text))),
    });
  }
}

interface Reading {
  readonly fold: CompletionFold;
  readonly stream: ModelStream;
  readonly silence: SilenceTimer;
  readonly isStopped: () => boolean;
}

/** A body can end without an error and without a response: only the fold knows what it contained. */
function endedEarly(fold: CompletionFold, contentType: string | null): Failure {
  if (fold.hasStarted) return createFailure('model_cut_off', 'The response ended without a finish reason.');
  return createFailure(
    'model_malformed',
    `The response (${contentType ?? 'no content type'}) holds no chunk of a chat completion.`,
  );
}

function judge(request: ModelRequest, signal: AbortSignal, fold: CompletionFold, failed: Failure | null): RequestEnd {
  const usage = usageOf(request, fold);
  const calls = fold.wholeCalls();
  // a response that has finished is whole, whatever happened after the finish
  if (fold.finish !== null)
    return { end: { kind: 'completed', finish: finishOf(fold.finish), calls, usage }, retry: null };
  if (signal.aborted || failed === null) return { end: { kind: 'stopped', calls, usage }, retry: null };
  const { code, message, isTransient } = failed;
  return { end: { kind: 'failed', code, message, usage }, retry: isTransient && !fold.hasStarted ? failed : null };
}

/** The provider's counts hold only for a whole response: before the finish they belong to an earlier chunk. */
function usageOf(request: ModelRequest, fold: CompletionFold): Usage {
  if (fold.finish !== null && fold.usage) return fold.usage;
  return fold.chars > 0 ? estimatedUsage(request, fold.chars) : (fold.usage ?? unknownUsage);
}
