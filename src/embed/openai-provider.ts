// The provider for Chat Completions endpoints, with what a library user need not bring: the clock and the dice.
import { createChatProvider, type ChatProviderOptions as Parts } from '../model/chat/chat-provider.ts';
import type { Provider } from '../model/provider.ts';
import { systemSources } from '../sources/system.ts';

export type OpenAIProviderOptions = Omit<Parts, 'clock' | 'random' | 'baseURL'> &
  Partial<Pick<Parts, 'clock' | 'random' | 'baseURL'>>;

const openAIUrl = 'https://api.openai.com/v1';

/**
 * A provider for any endpoint that speaks Chat Completions: OpenAI's own if `baseURL` is left out.
 *
 * @throws if the key is empty.
 */
export function createOpenAIProvider(options: OpenAIProviderOptions): Provider {
  const { clock, random } = systemSources;
  return createChatProvider({ baseURL: openAIUrl, clock, random, ...options });
}
