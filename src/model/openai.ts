// Streams from any endpoint that speaks Chat Completions, by the openai client, which is loaded at the first request.
//
// 1. No request is sent after the stop. The client's own retries are off, so that each is preceded by a look at the signal.
// 2. A stop waits for nothing: not for the client to load, not for the pause before a retry.
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';
import { pause } from '../sources/pause.ts';
import { raceAbort } from '../sources/race-abort.ts';
import type { Clock, Random } from '../sources/sources.ts';
import { errorText } from '../text/error-text.ts';
import { chatRequest } from './chat-request.ts';
import type { OpenAIRequests } from './openai-requests.ts';
import type { ModelEnd, ModelRequest, ModelStream, Provider } from './provider.ts';
import { retryDelayMs } from './retry.ts';

export interface OpenAIProviderOptions {
  /** The address above `/chat/completions`, for example `https://api.openai.com/v1`. */
  readonly baseURL: string;
  /** Not empty; an endpoint that needs none accepts any. */
  readonly apiKey: string;
  /** For requests that name none. */
  readonly model: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is sent again after 429, 5xx or a broken connection, while nothing of a response has arrived (2). */
  readonly maxRetries?: number | undefined;
  /** From a request to the first byte of its response (120 000). Node's fetch gives up after 300 000 at the latest. */
  readonly firstByteMs?: number | undefined;
  /** Between bytes of a response (60 000); the same holds. */
  readonly idleMs?: number | undefined;
}

/**
 * Creates a provider. The openai client is loaded by its first request; if that fails, the request ends with `model_unavailable`.
 *
 * @throws RangeError if the key is empty.
 */
export function createOpenAIProvider(options: OpenAIProviderOptions): Provider {
  if (options.apiKey === '')
    throw new RangeError('apiKey is empty: the endpoint needs credentials. One that needs none accepts any text.');
  return new OpenAIProvider(options);
}

class OpenAIProvider implements Provider {
  readonly name = 'openai';
  readonly #options: OpenAIProviderOptions;
  #requests: Promise<OpenAIRequests> | undefined;

  constructor(options: OpenAIProviderOptions) {
    this.#options = options;
  }

  async stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    const { model, apiKey, clock, random, maxRetries = 2 } = this.#options;
    const body = chatRequest(request, model);
    if (stream.signal.aborted) return { kind: 'stopped', calls: [], usage: noUsage };
    const requests = await raceAbort(this.#load(), stream.signal).catch(unloadable);
    if (requests === 'aborted') return { kind: 'stopped', calls: [], usage: noUsage };
    if ('kind' in requests) return requests;
    for (let retries = 0; ; retries++) {
      if (stream.signal.aborted) return { kind: 'stopped', calls: [], usage: retries === 0 ? noUsage : unknownUsage };
      const { end, retry } = await requests.send(request, body, stream);
      const waitMs = retry && retries < maxRetries ? retryDelayMs(retries, retry.retryAfterMs, random) : null;
      if (waitMs === null)
        return end.kind === 'failed' ? { ...end, message: end.message.replaceAll(apiKey, '…') } : end;
      await pause(clock, waitMs, stream.signal);
    }
  }

  /** Once for all requests; again if it failed. */
  #load(): Promise<OpenAIRequests> {
    this.#requests ??= this.#loadClient().catch((error) => {
      this.#requests = undefined;
      throw error;
    });
    return this.#requests;
  }

  async #loadClient(): Promise<OpenAIRequests> {
    const { OpenAIRequests } = await import('./openai-requests.ts');
    const { baseURL, apiKey, clock, firstByteMs = 120_000, idleMs = 60_000 } = this.#options;
    return new OpenAIRequests({ baseURL, apiKey, clock, firstByteMs, idleMs });
  }
}

function unloadable(error: unknown): ModelEnd {
  const message = `The openai client could not be loaded: ${errorText(error)}`;
  return { kind: 'failed', code: 'model_unavailable', message, usage: noUsage };
}
