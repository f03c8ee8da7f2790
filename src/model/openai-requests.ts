// Sends one request by the openai client, and judges how its response ended. Loads the client: only openai.ts imports this file, at its
// first request.

import { addAbortListener } from 'node:events';
import OpenAI from 'openai';
import { type Usage, unknownUsage } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import { classifyFailure, createFailure, type Failure } from './classify-failure.ts';
import { CompletionFold } from './completion-fold.ts';
import { estimatedUsage } from './estimate-usage.ts';
import { finishOf } from './finish-reason.ts';
import type { ModelEnd, ModelRequest, ModelStream } from './provider.ts';
import { TimedFetch } from './timed-fetch.ts';

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
      maxRetries: 0, // the client's own retries would go on after a stop
      timeout: 2 ** 31 - 1, // TimedFetch has its own timeouts, by the injected clock
      logLevel: 'off', // it would write to the console what becomes a failure here
    });
  }

  /** Sends one request. Never rejects. Leaves no listener on the stream's signal, no timer, and no open request. */
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
    using timed = new TimedFetch({
      clock,
      firstByteMs,
      idleMs,
      onSilent(message) {
        failed = createFailure('model_timed_out', message);
        connection.abort();
      },
    });
    try {
      const chunks = await this.#client
        .withOptions({ fetch: (input, init) => timed.fetch(input, init) })
        .chat.completions.create(body, { signal: connection.signal });
      // the client yields nothing after the abort, and closes the connection when the loop is left by an exception
      for await (const chunk of chunks) {
        const text = fold.addChunk(chunk);
        if (text !== '') stream.onText(text);
        if (fold.finish !== null) timed.finish(tailMs);
      }
      failed ??= endedEarly(fold, timed.contentType);
    } catch (error) {
      failed ??= classifyFailure(error, clock);
    }
    return judge(request, stream.signal, fold, failed);
  }
}

/** The client ends its loop without an error at an abort, and for a body that is no stream: only the fold knows how it ended. */
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
