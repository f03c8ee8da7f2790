// Creates the model for OpenAI's Realtime API, with the system's clock and random numbers unless others are given.
import {
  type RealtimeEndpointOptions as AllOptions,
  RealtimeModel,
} from '../adapters/models/realtime/realtime-model.ts';
import type { SpeechModel } from '../core/contracts/speech-model.ts';
import { assertClock } from '../core/sources/assert-clock.ts';
import { systemSources } from '../core/sources/system.ts';

export type RealtimeModelOptions = Omit<AllOptions, 'clock' | 'random' | 'baseUrl'> &
  Partial<Pick<AllOptions, 'clock' | 'random' | 'baseUrl'>>;

/**
 * Creates a model that hears and speaks: the `provider` of a runtime, whose voice sessions it serves. Its other sessions get text.
 *
 * @throws RangeError if the key is empty, or the address is no URL of http or https, or has credentials.
 */
export function createRealtimeModel(options: RealtimeModelOptions): SpeechModel {
  const { clock, random } = systemSources;
  if (options?.clock) assertClock('The option clock of createRealtimeModel', options.clock);
  return new RealtimeModel({ baseUrl: 'https://api.openai.com/v1', clock, random, ...options });
}
