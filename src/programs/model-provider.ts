// Makes the provider of the configured model. Without one a script plays the model, in a process of its own.
import { extname } from 'node:path';
import type { AiSdkApi } from '../adapters/models/ai-sdk/ai-sdk-apis.ts';
import type { ChatProviderOptions } from '../adapters/models/chat/chat-provider.ts';
import { type OpenAIApi, openAIApiFor, openAIApis } from '../adapters/models/openai-apis.ts';
import type { Provider } from '../core/contracts/provider.ts';
import { systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import { ConfigError } from './config-error.ts';
import type { ModelSettings } from './model-settings.ts';

const openAIUrl = 'https://api.openai.com/v1';
const { clock, random } = systemSources;

/** Returns the API of the AI SDK that is configured; null: none is. */
export function aiSdkApiOf({ api }: Pick<ModelSettings, 'api'>): AiSdkApi | null {
  const isOpenAI = api === undefined || api === 'realtime' || openAIApis.some((name) => name === api);
  return isOpenAI ? null : (api as AiSdkApi); // the rest of the names
}

/** Whether no model is configured, so that a script plays one. */
export const isScripted = (settings: ModelSettings): boolean =>
  settings.apiKey === undefined && settings.baseUrl === undefined && aiSdkApiOf(settings) === null;

/** Returns the address of the model's endpoint, or the name of its API where only its package knows the address. */
export const modelUrlOf = (settings: ModelSettings): string => settings.baseUrl ?? aiSdkApiOf(settings) ?? openAIUrl;

/** Throws a `ConfigError` if a script would play the model and nobody has asked for it. In a checkout it does so by default. */
export function assertModel(settings: ModelSettings, isDemo: boolean): void {
  const isCheckout = extname(import.meta.url) === '.ts';
  if (isScripted(settings) && !isDemo && !isCheckout)
    throw new ConfigError(
      'There is no model: set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of an endpoint. Without one `belay serve --demo` lets a script play it.',
    );
}

/** Starts the provider; the script ends with the stack. */
export async function startModelProvider(settings: ModelSettings, stack: AsyncDisposableStack): Promise<Provider> {
  const { api, apiKey = 'none', name, family, headers, firstByteMs, idleMs } = settings;
  const common = { clock, random, firstByteMs, idleMs };
  const aiSdkApi = aiSdkApiOf(settings);
  if (aiSdkApi !== null) return await startAiSdkProvider(aiSdkApi, settings);
  if (api === 'realtime' && !isScripted(settings)) {
    const { RealtimeModel } = await import('../adapters/models/realtime/realtime-model.ts');
    const baseUrl = modelUrlOf(settings);
    return new RealtimeModel({ ...common, baseUrl, apiKey, model: name, headers, voice: settings.realtime });
  }
  if (!isScripted(settings)) {
    const options = { ...common, baseUrl: modelUrlOf(settings), apiKey, model: name, family, headers };
    return await loadOpenAIProvider({ ...options, api: openAIApis.find((one) => one === api) });
  }
  const { startScriptedEndpoint } = await import('./scripted/start.ts');
  const endpoint = await startScriptedEndpoint({ clock });
  stack.defer(() => endpoint.close());
  return await loadOpenAIProvider({ ...common, baseUrl: endpoint.url, apiKey, model: 'scripted' });
}

/** Loads one of the two providers, and creates it. */
async function loadOpenAIProvider(
  options: ChatProviderOptions & { readonly api?: OpenAIApi | undefined },
): Promise<Provider> {
  if (openAIApiFor(options) === 'responses') {
    const { createResponsesProvider } = await import('../adapters/models/responses/responses-provider.ts');
    return createResponsesProvider(options);
  }
  const { createChatProvider } = await import('../adapters/models/chat/chat-provider.ts');
  return createChatProvider(options);
}

async function startAiSdkProvider(api: AiSdkApi, settings: ModelSettings): Promise<Provider> {
  const { apiKey, baseUrl, headers, name, firstByteMs, idleMs } = settings;
  const [{ createAiSdkAdapter }, { loadAiSdkModels }] = await Promise.all([
    import('../adapters/models/ai-sdk/ai-sdk-provider.ts'),
    import('../adapters/models/ai-sdk/ai-sdk-packages.ts'),
  ]);
  try {
    const createModel = await loadAiSdkModels(api, { apiKey, baseURL: baseUrl, headers });
    return createAiSdkAdapter({
      clock,
      random,
      firstByteMs,
      idleMs,
      createModel,
      model: createModel(name),
      baseUrl,
      name: baseUrl === undefined ? api : `${api} at ${baseUrl}`,
      secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)],
    });
  } catch (error) {
    throw new ConfigError(`The setting model.api cannot be used: ${errorText(error)}`, { cause: error });
  }
}
