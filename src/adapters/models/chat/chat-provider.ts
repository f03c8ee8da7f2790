// Streams from any endpoint that speaks Chat Completions, by the rules of its family.

import type {
  ModelEnd,
  ModelRequest,
  ModelStream,
  Provider,
  ProviderEndpoint,
} from '../../../core/contracts/provider.ts';
import { Endpoint, type EndpointOptions } from '../endpoint.ts';
import type { ModelExchange } from '../model-exchange.ts';
import { mediaInWords, type ResolvedMessage, resolveMedia } from '../resolve-media.ts';
import { chatBody } from './chat-body.ts';
import type { ChatFamily } from './chat-family.ts';
import { CompletionReader } from './completion-reader.ts';
import { type FamilyName, familyAt, rulesFor } from './families.ts';
import { type RefusedFeature, refusedFeatureIn, withoutRefused } from './refused-features.ts';

export interface ChatProviderOptions extends EndpointOptions {
  /** For requests that name none. */
  readonly model: string;
  /** The family of the endpoint. Left out: chosen by its address. */
  readonly family?: FamilyName | undefined;
}

/**
 * Creates a provider. The openai client is loaded by its first request; if that fails, the request ends with `model_unavailable`.
 *
 * @throws RangeError if the key is empty, or the address has credentials.
 */
export function createChatProvider(options: ChatProviderOptions): Provider {
  return new ChatProvider(options);
}

class ChatProvider implements Provider {
  readonly name: string;
  readonly model: string;
  readonly endpoint: ProviderEndpoint;
  readonly #endpoint: Endpoint;
  readonly #family: FamilyName;
  /** What the endpoint has refused so far, by model. */
  readonly #refused = new Map<string, ReadonlySet<RefusedFeature>>();

  constructor(options: ChatProviderOptions) {
    this.#endpoint = new Endpoint(options);
    this.#family = options.family ?? familyAt(options.baseUrl);
    this.name = `chat at ${this.#endpoint.place}`;
    this.model = options.model;
    this.endpoint = this.#endpoint.describe(this.#family);
  }

  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    return this.#endpoint.run(stream, async () => {
      const { model = this.model } = request;
      const messages = await resolveMedia(request.messages, this.#rulesOf(model).media, stream.readBlob);
      return this.#exchange(request, messages);
    });
  }

  /** The rules of the family for a model, changed for what the endpoint has refused. */
  #rulesOf(model: string): ChatFamily {
    const rules = rulesFor(this.#family, model);
    const refused = this.#refused.get(model);
    return refused ? withoutRefused(rules, refused) : rules;
  }

  #exchange(request: ModelRequest, messages: readonly ResolvedMessage[]): ModelExchange {
    const { model = this.model } = request;
    const refused = this.#refused.get(model);
    const family = this.#rulesOf(model);
    return {
      path: '/chat/completions',
      createBody: () => chatBody({ request, messages, model, family }),
      createReader: (stream) => new CompletionReader(request, family, stream),
      replaceRejected: (failure) => {
        const feature = refusedFeatureIn(failure, request);
        const known = this.#refused.get(model) ?? new Set();
        if (feature === null || refused?.has(feature)) return null;
        this.#refused.set(model, new Set([...known, feature]));
        return this.#exchange(request, feature === 'media' ? mediaInWords(messages) : messages);
      },
    };
  }
}
