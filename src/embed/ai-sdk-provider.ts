// The provider for models of the AI SDK, with what a library user need not bring: the clock and the dice.
import { type AiSdkAdapterOptions, createAiSdkAdapter } from '../adapters/models/ai-sdk/ai-sdk-provider.ts';
import type { Provider } from '../core/contracts/provider.ts';
import { assertClock } from '../core/sources/assert-clock.ts';
import { systemSources } from '../core/sources/system.ts';

export type AiSdkProviderOptions = Omit<AiSdkAdapterOptions, 'clock' | 'random'> &
  Partial<Pick<AiSdkAdapterOptions, 'clock' | 'random'>>;

/**
 * A provider of a model of the AI SDK: every `LanguageModelV4`. Give its package `createModelFetch()` as `fetch`: then a stop closes the
 * connection at once, and all providers share their connections.
 *
 * @throws RangeError if the model is one of an older AI SDK.
 */
export function createAiSdkProvider(options: AiSdkProviderOptions): Provider {
  const { clock, random } = systemSources;
  if (options?.clock) assertClock('The option clock of createAiSdkProvider', options.clock);
  return createAiSdkAdapter({ clock, random, ...options });
}
