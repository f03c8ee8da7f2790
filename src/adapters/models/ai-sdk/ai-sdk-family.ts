// Rules of the endpoints that the AI SDK calls, as far as its packages do not keep them.
import type { Json } from '../../../../machines/messages.ts';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import type { CallIdForm } from '../endpoint-ids.ts';
import type { AcceptedMedia } from '../resolve-media.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';

/** Options for a provider, by its name. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface AiSdkFamily {
  /** The name under which its package reads options. */
  readonly optionsName: string;
  readonly callIds: CallIdForm;
  readonly media: AcceptedMedia;
  /** Whether it refuses a call of the current turn that goes back without the reasoning that led to it. */
  readonly signsCalls: boolean;
  /** Marks a message up to which the endpoint is to keep the request in its cache; null: it keeps it by itself. */
  readonly cacheMark: ((cache: NonNullable<ModelOptions['cache']>) => ProviderOptions) | null;
}

const images = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const documents = [...images, 'application/pdf'];

// Anthropic, "Thinking", "Prompt caching": with thinking on, the calls of the current turn need their signed blocks; the front of a request
// is kept up to a mark, and only there.
const anthropic: AiSdkFamily = {
  optionsName: 'anthropic',
  callIds: 'word',
  media: { user: documents, result: documents },
  signsCalls: true,
  cacheMark: (cache) => ({
    anthropic: { cacheControl: { type: 'ephemeral', ...(cache === 'long' && { ttl: '1h' }) } },
  }),
};

// Amazon, "Converse API": the models of Anthropic have the rules above.
const bedrock: AiSdkFamily = {
  ...anthropic,
  optionsName: 'bedrock',
  cacheMark: (cache) => ({ bedrock: { cachePoint: { type: 'default', ...(cache === 'long' && { ttl: '1h' }) } } }),
};

// Google, "Thought signatures": its package puts the documented placeholder where a signature is missing.
const google: AiSdkFamily = {
  optionsName: 'google',
  callIds: 'word',
  media: { user: ['image/*', 'audio/*', 'application/pdf', 'text/plain'], result: 'after' },
  signsCalls: false,
  cacheMark: null,
};

// Mistral, "Function calling": ids of nine letters and digits.
const mistral: AiSdkFamily = {
  optionsName: 'mistral',
  callIds: 'nine',
  media: { user: [...images, 'application/pdf'], result: 'after' },
  signsCalls: false,
  cacheMark: null,
};

/** Returns the rules for a model, by the name of its provider. */
export function familyOf({ provider, modelId }: Pick<AiSdkModel, 'provider' | 'modelId'>): AiSdkFamily {
  const [name = provider] = provider.split('.');
  const isClaude = /anthropic|claude/i.test(`${provider} ${modelId}`);
  if (name === 'amazon-bedrock' || name === 'bedrock')
    return isClaude
      ? bedrock
      : { ...bedrock, signsCalls: false, media: { user: documents, result: 'after' }, cacheMark: null };
  if (isClaude) return anthropic;
  if (name === 'google' || name === 'vertex') return google;
  if (name === 'mistral') return mistral;
  return { ...google, optionsName: name, media: { user: documents, result: 'after' } };
}

/** Names the endpoint of a model, by the first part of its provider's name. */
export function endpointFamilyOf({ provider }: Pick<AiSdkModel, 'provider'>): string {
  const [name = provider] = provider.split('.');
  return name === 'amazon-bedrock' ? 'bedrock' : name;
}
