// The provider for endpoints that speak OpenAI's APIs, with what a library user need not bring: the clock and the dice.
import { type ChatProviderOptions, createChatProvider } from '../model/chat/chat-provider.ts';
import { type OpenAIApiOptions, openAIApiFor } from '../model/openai-apis.ts';
import type { Provider } from '../model/provider.ts';
import { createResponsesProvider } from '../model/responses/responses-provider.ts';
import { systemSources } from '../sources/system.ts';

type Parts = ChatProviderOptions & Pick<OpenAIApiOptions, 'api'>;

export type OpenAIProviderOptions = Omit<Parts, 'clock' | 'random' | 'baseURL'> &
  Partial<Pick<Parts, 'clock' | 'random' | 'baseURL'>>;

const openAIUrl = 'https://api.openai.com/v1';

/**
 * A provider for any endpoint that speaks Chat Completions or Responses: OpenAI's own if `baseURL` is left out.
 *
 * @throws if the key is empty.
 */
export function createOpenAIProvider(options: OpenAIProviderOptions): Provider {
  const { clock, random } = systemSources;
  const all = { baseURL: openAIUrl, clock, random, ...options };
  return openAIApiFor(all) === 'responses' ? createResponsesProvider(all) : createChatProvider(all);
}
