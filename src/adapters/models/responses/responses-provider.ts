// Streams from OpenAI's Responses API, without a response that is stored there.
import type { Json } from '../../../../machines/messages.ts';
import type {
  ModelEnd,
  ModelRequest,
  ModelStream,
  Provider,
  ProviderEndpoint,
} from '../../../core/contracts/provider.ts';
import { Endpoint, type EndpointOptions } from '../endpoint.ts';
import { isOpenAIHost } from '../openai-apis.ts';
import type { RefusedFields } from './responses-exchange.ts';

export interface ResponsesProviderOptions extends EndpointOptions {
  /** For requests that name none. */
  readonly model: string;
  /** The family of the endpoint, for telemetry. Left out: `openai` at OpenAI's own hosts. */
  readonly family?: string | undefined;
  /** Fields of the body of each request. They replace what Belay would send under the same name; null removes it. */
  readonly extraBody?: Readonly<Record<string, Json>> | undefined;
}

/**
 * Creates a provider. The openai client is loaded by its first request; if that fails, the request ends with `model_unavailable`.
 *
 * @throws RangeError if the key is empty, or the address has credentials.
 */
export function createResponsesProvider(options: ResponsesProviderOptions): Provider {
  return new ResponsesProvider(options);
}

const isOpenAI = (baseUrl: string): boolean => isOpenAIHost(new URL(baseUrl).hostname);

/** Loads what no start needs. */
const loadParts = () => Promise.all([import('./responses-exchange.ts'), import('../resolve-media.ts')]);

class ResponsesProvider implements Provider {
  readonly name: string;
  readonly model: string;
  readonly endpoint: ProviderEndpoint;
  readonly #endpoint: Endpoint;
  readonly #extraBody: ResponsesProviderOptions['extraBody'];
  /** What the endpoint has refused so far, by model. */
  readonly #refused = new Map<string, RefusedFields>();

  constructor(options: ResponsesProviderOptions) {
    this.#endpoint = new Endpoint(options);
    this.#extraBody = options.extraBody;
    this.name = `responses at ${this.#endpoint.place}`;
    this.model = options.model;
    this.endpoint = this.#endpoint.describe(options.family ?? (isOpenAI(options.baseUrl) ? 'openai' : 'unknown'));
  }

  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    return this.#endpoint.run(stream, async () => {
      const [{ responsesExchange, responsesMedia }, { resolveMedia }] = await loadParts();
      const messages = await resolveMedia(request.messages, responsesMedia, stream.readBlob);
      const { model = this.model } = request;
      return responsesExchange(request, messages, {
        model,
        refused: this.#refusedBy(model),
        extraBody: this.#extraBody,
      });
    });
  }

  #refusedBy(model: string): RefusedFields {
    const known = this.#refused.get(model) ?? new Set();
    this.#refused.set(model, known);
    return known;
  }
}
