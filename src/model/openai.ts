// The provider for any endpoint that speaks Chat Completions, by the openai client. The client's own retries are off: it would
// begin a request without asking whether the call has been stopped meanwhile.
import OpenAI from 'openai';
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';
import { pause } from '../sources/pause.ts';
import type { Clock, Random } from '../sources/sources.ts';
import { wireRequest } from './chat-request.ts';
import { attempt } from './openai-requests.ts';
import type { ModelEnd, ModelRequest, ModelStream, Provider } from './provider.ts';
import { retryDelayMs } from './retry.ts';

export interface OpenAIProviderOptions {
  /** The address above `/chat/completions`, for example `https://api.openai.com/v1`. */
  readonly baseURL: string;
  /** Not empty; an endpoint that asks for none takes any. */
  readonly apiKey: string;
  /** For requests that name none. */
  readonly model: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is sent again after 429, 5xx or a broken connection, while nothing of an answer has arrived (2). */
  readonly maxRetries?: number;
  /** From a request to the first byte of its answer (120 000). Node's fetch gives up after 300 000 at the latest. */
  readonly firstByteMs?: number;
  /** Between bytes of an answer (60 000); the same holds. */
  readonly idleMs?: number;
}

/** Throws when the key is empty. */
export function createOpenAIProvider(options: OpenAIProviderOptions): Provider {
  const { baseURL, apiKey, model, clock, random, maxRetries = 2, firstByteMs = 120_000, idleMs = 60_000 } = options;
  const client = new OpenAI({
    baseURL,
    apiKey,
    maxRetries: 0,
    timeout: 2 ** 31 - 1, // the wire has its own bounds, by the injected clock
    logLevel: 'off', // it would write to the console what becomes a failure here
  });

  const stream = async (request: ModelRequest, call: ModelStream): Promise<ModelEnd> => {
    const body = wireRequest(request, model);
    for (let retry = 0; ; retry++) {
      if (call.signal.aborted) return { kind: 'stopped', calls: [], usage: retry === 0 ? noUsage : unknownUsage };
      const { end, again } = await attempt(request, body, call, { client, clock, firstByteMs, idleMs });
      const waitMs = again && retry < maxRetries ? retryDelayMs(retry, again.retryAfterMs, random) : null;
      if (waitMs === null)
        return end.kind === 'failed' ? { ...end, message: end.message.replaceAll(apiKey, '…') } : end;
      await pause(clock, waitMs, call.signal);
    }
  };

  return { name: 'openai', stream };
}
