// Creates the provider for endpoints that speak OpenAI's APIs, with the system's clock and random numbers unless others are given.
import { type ChatProviderOptions, createChatProvider } from '../adapters/models/chat/chat-provider.ts';
import { type OpenAIApiOptions, openAIApiFor } from '../adapters/models/openai-apis.ts';
import { createResponsesProvider } from '../adapters/models/responses/responses-provider.ts';
import type { Provider } from '../core/contracts/provider.ts';
import { assertClock } from '../core/sources/assert-clock.ts';
import { systemSources } from '../core/sources/system.ts';

type AllOptions = ChatProviderOptions & Pick<OpenAIApiOptions, 'api'>;

export type OpenAIProviderOptions = Omit<AllOptions, 'clock' | 'random' | 'baseUrl'> &
  Partial<Pick<AllOptions, 'clock' | 'random' | 'baseUrl'>>;

const openAIUrl = 'https://api.openai.com/v1';

/**
 * Creates a provider for any endpoint that speaks Chat Completions or Responses: OpenAI's own if `baseUrl` is left out.
 *
 * @throws RangeError if the key is empty, the old name `baseURL` is used, or the address is no URL of http or https, or has credentials.
 */
export function createOpenAIProvider(options: OpenAIProviderOptions): Provider {
  const { clock, random } = systemSources;
  // JavaScript that still has the old name would send its key to OpenAI
  if (options && 'baseURL' in options)
    throw new RangeError('The option baseURL of createOpenAIProvider is called baseUrl.');
  if (options?.clock) assertClock('The option clock of createOpenAIProvider', options.clock);
  const all = { baseUrl: openAIUrl, clock, random, ...options };
  return openAIApiFor(all) === 'responses' ? createResponsesProvider(all) : createChatProvider(all);
}
