// Streams from any model of the AI SDK (`LanguageModelV4`): Anthropic, Google, Mistral, Amazon Bedrock and others.
//
// 1. No request is sent after the stop. A model of the AI SDK sends one request for a call, and retries are made here.
// 2. A stop waits for nothing, also not for a model that ignores its signal.
import type { LanguageModelV4CallOptions, LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import { noUsage, unknownUsage } from '../../../../machines/vocabulary.ts';
import { fieldsOf } from '../../../core/collections/fields.ts';
import type {
  ModelEnd,
  ModelRequest,
  ModelStream,
  Provider,
  ProviderEndpoint,
} from '../../../core/contracts/provider.ts';
import { raceAbort } from '../../../core/sources/abort-signals.ts';
import { pause } from '../../../core/sources/pause.ts';
import type { Clock, Random } from '../../../core/sources/sources.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { maskSecrets } from '../mask-secrets.ts';
import { type ResolvedMessage, resolveMedia } from '../resolve-media.ts';
import { silenceLimits } from '../response-limits.ts';
import { retryDelayMs } from '../retry.ts';
import { sentSchema } from '../sent-schema.ts';
import { type AiSdkFamily, endpointFamilyOf, familyOf, type ProviderOptions } from './ai-sdk-family.ts';
import type { AiSdkModel, AiSdkProviderTool } from './ai-sdk-model.ts';
import { promptOf } from './ai-sdk-prompt.ts';
import { sendOnce } from './send-once.ts';

export interface AiSdkAdapterOptions {
  /** For requests that name no model. */
  readonly model: AiSdkModel;
  /** Returns the model of a name that a request gives, for example `anthropic`. Left out: only `model` may be named. */
  readonly createModel?: ((name: string) => AiSdkModel) | undefined;
  /** Names the endpoint, if its address is not the usual one: what it wants back is sent only to a provider of the same name. */
  readonly name?: string | undefined;
  /** The address of the endpoint, if it is configured, for telemetry. */
  readonly baseUrl?: string | undefined;
  /** Options of each request, by the name of the provider that they are for: `{ anthropic: { thinking: { type: 'adaptive' } } }`. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** Tools that the provider itself runs, by the names under which the model calls them. */
  readonly providerTools?: Readonly<Record<string, AiSdkProviderTool>> | undefined;
  /** Keys and values of headers, to be taken out of the messages of failures. */
  readonly secrets?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is sent again after 429, 5xx or a broken connection, while nothing of a response has arrived (2). */
  readonly maxRetries?: number | undefined;
  /** From a request to the first part of its response, in milliseconds (600 000); 0: without a limit. */
  readonly firstByteMs?: number | undefined;
  /** Between parts of a response (300 000); 0: without a limit. */
  readonly idleMs?: number | undefined;
}

/**
 * Creates a provider of a model.
 *
 * @throws RangeError if the model is one of an older AI SDK.
 */
export function createAiSdkAdapter(options: AiSdkAdapterOptions): Provider {
  const { specificationVersion, provider } = options.model;
  if (specificationVersion !== 'v4')
    throw new RangeError(
      `model is of the specification ${specificationVersion}, and must be of v4: install a newer package for ${provider}.`,
    );
  return new AiSdkProvider(options);
}

class AiSdkProvider implements Provider {
  readonly name: string;
  readonly model: string;
  readonly endpoint: ProviderEndpoint;
  readonly #options: AiSdkAdapterOptions;

  constructor(options: AiSdkAdapterOptions) {
    this.name = options.name ?? options.model.provider;
    this.model = options.model.modelId;
    this.endpoint = { family: endpointFamilyOf(options.model), address: addressOf(options.baseUrl) };
    this.#options = options;
  }

  async stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    if (stream.signal.aborted) return { kind: 'stopped', calls: [], usage: noUsage };
    try {
      const model = this.#modelFor(request.model);
      const family = familyOf(model);
      const messages = await raceAbort(resolveMedia(request.messages, family.media, stream.readBlob), stream.signal);
      if (messages === 'aborted') return { kind: 'stopped', calls: [], usage: noUsage };
      return this.#mask(await this.#send(model, { request, messages, family }, stream));
    } catch (error) {
      return this.#mask({ kind: 'failed', code: 'model_rejected', message: errorText(error), usage: noUsage });
    }
  }

  #mask(end: ModelEnd): ModelEnd {
    if (end.kind !== 'failed') return end;
    return { ...end, message: maskSecrets(end.message, this.#options.secrets ?? []) };
  }

  #modelFor(name: string | undefined): AiSdkModel {
    const { model, createModel } = this.#options;
    if (name === undefined || name === model.modelId) return model;
    if (createModel) return createModel(name);
    throw new Error(`The provider ${this.name} has no model ${name}. Give createModel, or name ${model.modelId}.`);
  }

  async #send(model: AiSdkModel, asked: PreparedRequest, stream: ModelStream): Promise<ModelEnd> {
    const {
      clock,
      random,
      maxRetries = 2,
      firstByteMs = silenceLimits.firstByteMs,
      idleMs = silenceLimits.idleMs,
    } = this.#options;
    const callOptions = callOptionsFor(asked, this.#options);
    for (let retries = 0; ; retries++) {
      if (stream.signal.aborted) return { kind: 'stopped', calls: [], usage: retries === 0 ? noUsage : unknownUsage };
      const { end, failure } = await sendOnce(
        { model, request: asked.request, callOptions, clock, firstByteMs, idleMs },
        stream,
      );
      const mayRetry = failure !== null && retries < Math.min(maxRetries, failure.maxRetries);
      const waitMs = mayRetry ? retryDelayMs(retries, failure.retryAfterMs, random) : null;
      if (waitMs === null) return end;
      await pause(clock, waitMs, stream.signal);
    }
  }
}

const addressOf = (baseUrl: string | undefined): string | undefined =>
  baseUrl === undefined ? undefined : URL.parse(baseUrl)?.hostname;

interface PreparedRequest {
  readonly request: ModelRequest;
  readonly messages: readonly ResolvedMessage[];
  readonly family: AiSdkFamily;
}

function callOptionsFor(
  { request, messages, family }: PreparedRequest,
  { providerOptions = {}, providerTools = {} }: AiSdkAdapterOptions,
): LanguageModelV4CallOptions {
  const { options = {}, tools } = request;
  const { maxOutputTokens, temperature, extra } = options;
  const { optionsName } = family;
  const ownOptions = { ...providerOptions[optionsName], ...extra };
  const hosted = Object.entries(providerTools).map(([name, { id, args }]) => providerTool(name, id, args));
  const declared = tools.map(
    ({ name, description, parameters }) =>
      ({ type: 'function', name, description, inputSchema: { ...sentSchema(parameters) } }) as const,
  );
  return {
    prompt: promptOf(messages, family, options.cache),
    ...(declared.length + hosted.length > 0 && { tools: [...declared, ...hosted] }),
    ...(options.tools === 'none' && { toolChoice: { type: 'none' } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...reasoningOf(options),
    // the options are JSON by their type
    providerOptions: { ...providerOptions, [optionsName]: ownOptions } as NonNullable<
      LanguageModelV4CallOptions['providerOptions']
    >,
    includeRawChunks: true, // a sign of life: what the endpoint sends while it has nothing to say
  };
}

const providerTool = (name: string, id: string, args: unknown): LanguageModelV4ProviderTool => ({
  type: 'provider',
  // an id of the AI SDK has a dot in it
  id: id as LanguageModelV4ProviderTool['id'],
  name,
  args: { ...fieldsOf(args) },
});

function reasoningOf({ reasoningEffort }: ModelOptions): Pick<LanguageModelV4CallOptions, 'reasoning'> {
  if (reasoningEffort === undefined) return {};
  // the words of the AI SDK are those of the endpoints; a word that it does not know is for it to refuse
  return { reasoning: reasoningEffort as NonNullable<LanguageModelV4CallOptions['reasoning']> };
}
