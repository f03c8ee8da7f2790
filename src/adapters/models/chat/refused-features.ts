// Reads from a rejection which feature of the request the endpoint does not accept. The request is sent once more without it or in another form, and so
// are later ones for the same model.

import type { ModelRequest } from '../../../core/contracts/provider.ts';
import type { Failure } from '../classify-failure.ts';
import type { ChatFamily } from './chat-family.ts';
import { families } from './families.ts';

/** The features that an endpoint may refuse, although others of its family accept them: the words of the refusal, and the change to the rules. */
const features = {
  /** A field that asks for the usage. */
  usage: { words: /stream_options|include_usage/, change: (): Partial<ChatFamily> => ({ usage: {} }) },
  cache: {
    words: /prompt_cache_key|prompt_cache_retention|cache_control/,
    change: (): Partial<ChatFamily> => ({ cacheKey: '', cache: {} }),
  },
  /** Fields of a response that are sent back with it. */
  state: {
    words: /reasoning_content|reasoning_details|extra_content|'reasoning'|\.reasoning\b/,
    change: (): Partial<ChatFamily> => ({ state: { message: [], call: [] } }),
  },
  /** The name of the output limit. */
  maxTokens: {
    words: /max_tokens|max_completion_tokens/,
    change: ({ maxTokens }: ChatFamily): Partial<ChatFamily> => ({
      maxTokens: maxTokens === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
    }),
  },
  /** Tools together with a reasoning effort. */
  reasoning: {
    words: /tools? .*reasoning_effort/i,
    change: (): Partial<ChatFamily> => ({ toolsOnlyWithoutReasoning: /^/ }),
  },
  /** Calls that are sent back without the reasoning that led to them. */
  bareCalls: {
    words: /reasoning_content.*(must be passed back|is missing)|missing reasoning_content/i,
    change: (): Partial<ChatFamily> => ({ withoutState: 'words' }),
  },
  /** Calls that are sent back without Google's signature. The endpoint is a proxy before Gemini. */
  unsignedCalls: {
    words: /missing a `?thought_signature/i,
    change: (): Partial<ChatFamily> => ({ withoutState: families.gemini.withoutState, state: families.gemini.state }),
  },
  /** A message with the role `system`. */
  systemMessage: {
    words: /system role not supported|only user and assistant roles/i,
    change: (): Partial<ChatFamily> => ({ instructions: 'user' }),
  },
  /** The content `null` of a message that has calls and no text. */
  nullContent: {
    // the words of LM Studio, Mistral, OpenAI; Qwen and Azure; llama.cpp; xAI; Ollama
    words:
      /content\W.*(must be a string|valid string|expected a string|a required (field|property)|to be a string|type: <nil>)|at least one content element/i,
    change: (): Partial<ChatFamily> => ({ emptyContent: 'text' }),
  },
  /** Images, sounds and files. The model reads text only. */
  media: {
    words: /image|audio|vision|multi-?modal|mmproj|input_file|content type|content.*must be a string/i,
    change: (): Partial<ChatFamily> => ({ media: { user: [], result: [] } }),
  },
  /** An empty text as the content of a message that has calls. */
  emptyContent: {
    words: /text content is empty|assistant' must not be empty/i,
    change: (): Partial<ChatFamily> => ({ emptyContent: 'left_out' }),
  },
} as const;

export type RefusedFeature = keyof typeof features;

/** The features whose words are only the names of fields: the rejection must say, too, that the field is not known. */
const fields: readonly RefusedFeature[] = ['usage', 'cache', 'state', 'maxTokens'];
/** The features whose words alone say that they are refused. */
const forms: readonly RefusedFeature[] = [
  'reasoning',
  'bareCalls',
  'unsignedCalls',
  'systemMessage',
  'nullContent',
  'emptyContent',
];

const unknownField =
  /unsupported|not supported|unknown|unrecognized|not permitted|extra inputs|unexpected (field|keyword|property)/i;

const hasMedia = (messages: ModelRequest['messages']): boolean =>
  messages.some((message) => message.role !== 'assistant' && message.parts?.some(({ type }) => type !== 'text'));

/** Returns the feature that a rejection names; null: none that can be changed. */
export function refusedFeatureIn(
  { code, message }: Failure,
  { options, messages }: ModelRequest,
): RefusedFeature | null {
  if (code !== 'model_rejected') return null;
  const isMeant = (name: RefusedFeature) => features[name].words.test(message);
  if (hasMedia(messages) && isMeant('media')) return 'media';
  const form = forms.find(isMeant);
  // an effort that the caller has set is not dropped silently
  if (form === 'reasoning' && options?.reasoningEffort !== undefined) return null;
  return form ?? (unknownField.test(message) ? fields.find(isMeant) : undefined) ?? null;
}

/** Returns the rules of a family, changed for what an endpoint of it has refused. */
export function withoutRefused(family: ChatFamily, refused: ReadonlySet<RefusedFeature>): ChatFamily {
  let rules = family;
  for (const name of refused) rules = { ...rules, ...features[name].change(rules) };
  return rules;
}
