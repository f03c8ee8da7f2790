// Makes the provider of the configured model. Without one a script plays the model, in a process of its own.
import { existsSync } from 'node:fs';
import { createChatProvider } from '../model/chat/chat-provider.ts';
import type { Provider } from '../model/provider.ts';
import { systemSources } from '../sources/system.ts';
import { ConfigError } from './config-error.ts';
import type { ModelSettings } from './model-settings.ts';

const openAIUrl = 'https://api.openai.com/v1';
const { clock, random } = systemSources;

/** Whether no model is configured, so that a script plays one. */
export const isScripted = ({ apiKey, baseUrl }: ModelSettings): boolean =>
  apiKey === undefined && baseUrl === undefined;

/** Returns the address of the model's endpoint. */
export const modelUrlOf = ({ baseUrl = openAIUrl }: ModelSettings): string => baseUrl;

/** Throws a `ConfigError` if the script is not there: only a checkout has it. */
export function assertScript(): void {
  if (!existsSync(new URL('scripted/', import.meta.url)))
    throw new ConfigError('There is no model: set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of an endpoint.');
}

/** Starts the provider; the script ends with the stack. */
export async function startModelProvider(settings: ModelSettings, stack: AsyncDisposableStack): Promise<Provider> {
  const { apiKey = 'none', name, family, headers, firstByteMs, idleMs } = settings;
  const common = { clock, random, firstByteMs, idleMs };
  if (!isScripted(settings))
    return createChatProvider({ ...common, baseURL: modelUrlOf(settings), apiKey, model: name, family, headers });
  assertScript();
  const { startScriptedEndpoint } = await import('./scripted/start.ts');
  const endpoint = await startScriptedEndpoint({ clock });
  stack.defer(() => endpoint.close());
  return createChatProvider({ ...common, baseURL: endpoint.url, apiKey, model: 'scripted' });
}
