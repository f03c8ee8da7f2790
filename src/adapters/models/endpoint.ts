// An endpoint that the openai client reaches: sends what a provider gives it, retries, and stops with the signal. The client is loaded at the
// first request.
//
// 1. No request is sent after the stop. The client's own retries are off, so that each is preceded by a look at the signal.
// 2. A stop waits for nothing: not for the client to load, not for the pause before a retry.
import { noUsage, unknownUsage } from '../../../machines/vocabulary.ts';
import { loadOnce } from '../../core/collections/load-once.ts';
import type { ModelEnd, ModelStream, ProviderEndpoint } from '../../core/contracts/provider.ts';
import { raceAbort } from '../../core/sources/abort-signals.ts';
import { pause } from '../../core/sources/pause.ts';
import type { Clock, Random } from '../../core/sources/sources.ts';
import { errorText } from '../../core/text/error-text.ts';
import { baseUrlProblem } from './base-url.ts';
import type { EndpointClient } from './endpoint-client.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { ModelExchange } from './model-exchange.ts';
import { silenceLimits } from './response-limits.ts';
import { retryDelayMs } from './retry.ts';

export interface EndpointOptions {
  /** The address above the paths of the API, for example `https://api.openai.com/v1`. Without credentials. */
  readonly baseUrl: string;
  /** The key of the endpoint. It is not empty; an endpoint that needs none accepts any. */
  readonly apiKey: string;
  /** Sent with each request; they replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is sent again after 429, 5xx or a broken connection, while nothing of a response has arrived (2). */
  readonly maxRetries?: number | undefined;
  /** From a request to the first byte of its response, in milliseconds (600 000); 0: without a limit. */
  readonly firstByteMs?: number | undefined;
  /** Between two bytes of a response, in milliseconds (300 000); 0: without a limit. */
  readonly idleMs?: number | undefined;
}

/** How often a request that was rejected is replaced by another. */
const maxReplacements = 4;

const stopped = (hasSent: boolean): ModelEnd => ({
  kind: 'stopped',
  calls: [],
  usage: hasSent ? unknownUsage : noUsage,
});

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #load = loadOnce(() => this.#loadClient());

  /**
   * The openai client is loaded by the first request; if that fails, the request ends with `model_unavailable`.
   *
   * @throws RangeError if the key is empty, or the address is no URL of http or https, or has credentials.
   */
  constructor(options: EndpointOptions) {
    if (options.apiKey === '')
      throw new RangeError('apiKey is empty: the endpoint needs credentials. One that needs none accepts any text.');
    const problem = baseUrlProblem(options.baseUrl);
    if (problem !== null) throw new RangeError(`baseUrl ${problem}.`);
    this.#options = options;
  }

  /** Its host and its port, for telemetry. `family`: which it is; `unknown` says nothing. */
  describe(family: string): ProviderEndpoint {
    const { hostname, port, protocol } = new URL(this.#options.baseUrl);
    const known = family === 'unknown' ? undefined : family;
    const address = hostname.replace(/^\[|\]$/g, ''); // an IPv6 address is without its brackets there
    return { family: known, address, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
  }

  /** The host and the path of its address: different for any two endpoints. */
  get place(): string {
    const { host, pathname } = new URL(this.#options.baseUrl);
    return `${host}${pathname.replace(/\/+$/, '')}`;
  }

  /** Makes one model call. Never rejects. `createExchange` is called once; if it rejects, the call ends with `model_rejected`. */
  run(stream: ModelStream, createExchange: () => Promise<ModelExchange>): Promise<ModelEnd> {
    const { signal } = stream;
    if (signal.aborted) return Promise.resolve(stopped(false));
    // promises, not an async function: what that would keep while the response streams is a large part of the memory of a turn
    return raceAbort(Promise.all([this.#load(), createExchange()]), signal)
      .then((ready) => (ready === 'aborted' ? stopped(false) : this.#send(...ready, stream)))
      .catch(endOfFailure);
  }

  async #send(client: EndpointClient, exchange: ModelExchange, stream: ModelStream): Promise<ModelEnd> {
    const { clock, random, maxRetries = 2 } = this.#options;
    let current = exchange;
    for (let retries = 0, replacements = 0; ; ) {
      if (stream.signal.aborted) return stopped(retries + replacements > 0);
      const { end, failure } = await client.send(current, stream);
      if (failure === null) return this.#mask(end);
      const replaced = replacements < maxReplacements ? current.replaceRejected?.(failure) : null;
      if (replaced) {
        current = replaced;
        replacements++;
        continue;
      }
      const mayRetry = retries < Math.min(maxRetries, failure.maxRetries);
      const waitMs = mayRetry ? retryDelayMs(retries, failure.retryAfterMs, random) : null;
      if (waitMs === null) return this.#mask(end);
      retries++;
      await pause(clock, waitMs, stream.signal);
    }
  }

  #mask(end: ModelEnd): ModelEnd {
    if (end.kind !== 'failed') return end;
    const { apiKey, headers = {} } = this.#options;
    return { ...end, message: maskSecrets(end.message, [apiKey, ...Object.values(headers)]) };
  }

  async #loadClient(): Promise<EndpointClient> {
    const { EndpointClient } = await import('./endpoint-client.ts').catch((error: unknown) => {
      throw new Unloadable(`The openai client could not be loaded: ${errorText(error)}`);
    });
    const { baseUrl, apiKey, headers = {}, clock } = this.#options;
    const { firstByteMs = silenceLimits.firstByteMs, idleMs = silenceLimits.idleMs } = this.#options;
    return new EndpointClient({ baseUrl, apiKey, headers, clock, firstByteMs, idleMs });
  }
}

class Unloadable extends Error {}

function endOfFailure(error: unknown): ModelEnd {
  if (error instanceof Unloadable)
    return { kind: 'failed', code: 'model_unavailable', message: error.message, usage: noUsage };
  return { kind: 'failed', code: 'model_rejected', message: errorText(error), usage: noUsage };
}
