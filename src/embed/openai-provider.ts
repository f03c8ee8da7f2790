// Creates the provider for endpoints that speak OpenAI's APIs, with the system's clock and random numbers unless others are given.
import { type ChatProviderOptions, createChatProvider } from '../adapters/models/chat/chat-provider.ts';
import { type OpenAIApiOptions, openAIApiFor } from '../adapters/models/openai-apis.ts';
import { createResponsesProvider } from '../adapters/models/responses/responses-provider.ts';
import type { Provider } from '../core/contracts/provider.ts';
import { assertClock } from '../core/sources/assert-clock.ts';
import { systemSources } from '../core/sources/system.ts';

type AllOptions = ChatProviderOptions & Pick<OpenAIApiOptions, 'api'>;

export type OpenAIProviderOptions = Omit<AllOptions, 'clock' | 'random' | 'baseURL'> &
  Partial<Pick<AllOptions, 'clock' | 'random' | 'baseURL'>>;

const openAIUrl = 'https://api.openai.com/v1';

/**
 * Creates a provider for any endpoint that speaks Chat Completions or Responses: OpenAI's own if `baseURL` is left out.
 *
 * @throws RangeError if the key is empty, or the address is no URL of http or https, or has credentials.
 */
export function createOpenAIProvider(options: OpenAIProviderOptions): Provider {
  const { clock, random } = systemSources;
  if (options?.clock) assertClock('The option clock of createOpenAIProvider', options.clock);
  const all = { baseURL: openAIUrl, clock, random, ...options };
  return openAIApiFor(all) === 'responses' ? createResponsesProvider(all) : createChatProvider(all);
}
