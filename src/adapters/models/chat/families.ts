// The table of endpoint families. A comment names the page of each rule.
import type { AcceptedMedia } from '../resolve-media.ts';
import type { ChatFamily, StateFields } from './chat-family.ts';

const noState: StateFields = { message: [], call: [] };
const usageOption = { stream_options: { include_usage: true } };
const effort = { path: ['reasoning_effort'] };

const images: AcceptedMedia = { user: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'], result: 'after' };
const textOnly: AcceptedMedia = { user: [], result: [] };

/** What holds where a row says nothing else: the API as OpenAI documents it, with what servers of others understand too. */
const standard = {
  hosts: [],
  instructions: 'system',
  callIds: 'any',
  state: noState,
  withoutState: 'calls',
  emptyContent: 'null',
  maxTokens: 'max_tokens',
  effort,
  toolsOff: 'tool_choice',
  usage: usageOption,
  media: images,
} as const satisfies ChatFamily;

export const families = {
  // OpenAI, "API reference: chat completions", "Prompt caching", "Reasoning models". GPT-5.6 refuses tools unless its effort is `none`, and
  // also where the request says nothing about it: BerriAI/litellm#34569.
  openai: {
    ...standard,
    hosts: ['api.openai.com', 'openai.azure.com'],
    maxTokens: 'max_completion_tokens',
    toolsOnlyWithoutReasoning: /^gpt-5\.([6-9]|\d\d)|^gpt-[6-9]/,
    cacheKey: 'prompt_cache_key',
    cache: { long: { prompt_cache_retention: '24h' } },
    media: {
      user: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'audio/wav', 'audio/mpeg', 'application/pdf'],
      result: 'after',
    },
  },
  // Google, "OpenAI compatibility", "Thought signatures". Gemini 3 refuses a round whose first call has no signature; its documented
  // placeholder is for calls that Gemini has not made, or whose signature is lost.
  gemini: {
    ...standard,
    hosts: ['googleapis.com'],
    state: { message: ['extra_content'], call: ['extra_content'] },
    withoutState: {
      firstCall: { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
    },
    statefulModels: /gemini-(?![12]\b)/,
    media: { user: ['image/*', 'audio/wav', 'audio/mpeg', 'application/pdf'], result: 'after' },
  },
  // DeepSeek, "Thinking mode": the reasoning of a response with calls must go back with it, in every later request. It refuses made-up
  // reasoning (can1357/oh-my-pi#897), and an empty one, but no space (NousResearch/hermes-agent#17341).
  deepseek: {
    ...standard,
    hosts: ['api.deepseek.com'],
    state: { message: ['reasoning_content'], call: [] },
    withoutState: 'words',
    effort: { ...effort, none: { thinking: { type: 'disabled' } } },
    media: textOnly,
  },
  // Moonshot, "Use the Kimi thinking models": as DeepSeek; the reasoning may be empty (MoonshotAI/kimi-cli#2498). It refuses an empty text
  // (MoonshotAI/kimi-cli#2621), and `thinking` beside an effort (HKUDS/nanobot#3939).
  kimi: {
    ...standard,
    hosts: ['api.moonshot.ai', 'api.moonshot.cn', 'api.kimi.com'],
    state: { message: ['reasoning_content'], call: [], noReasoning: '' },
    withoutState: 'words',
    statefulModels: /^kimi/,
    emptyContent: 'left_out',
    effort: { ...effort, none: { thinking: { type: 'disabled' } } },
    cacheKey: 'prompt_cache_key',
  },
  // Mistral, "Function calling", "Reasoning", "API reference: chat". Its ids have nine letters and digits; it refuses fields that it does
  // not know, `stream_options` too (dnakov/anon-kode#53), and sends the usage unasked.
  mistral: {
    ...standard,
    hosts: ['api.mistral.ai', 'codestral.mistral.ai'],
    callIds: 'nine',
    state: { message: [], call: [], inContent: true },
    emptyContent: 'text',
    usage: {},
    cacheKey: 'prompt_cache_key',
    media: { ...images, result: [] },
  },
  // Alibaba Cloud Model Studio, "Deep thinking", "OpenAI compatible chat".
  qwen: {
    ...standard,
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
    effort: { ...effort, none: { enable_thinking: false }, beside: { enable_thinking: true } },
    emptyContent: 'text',
  },
  // xAI, "Best practices guide": Chat Completions has no field for the model's reasoning. It refuses a content of null beside calls:
  // langchain-ai/langchain#34140.
  xai: {
    ...standard,
    emptyContent: 'text',
    hosts: ['api.x.ai'],
    maxTokens: 'max_completion_tokens',
    cacheKey: 'prompt_cache_key',
    media: { ...images, user: ['image/png', 'image/jpeg'] },
  },
  // Groq, "API reference: chat". It refuses `reasoning_content` in a message: janhq/jan#8136.
  groq: {
    ...standard,
    hosts: ['api.groq.com'],
    maxTokens: 'max_completion_tokens',
    media: { ...images, result: [] },
  },
  // OpenRouter, "Reasoning tokens" (the details go back unmodified), "Usage accounting", "Prompt caching".
  openrouter: {
    ...standard,
    hosts: ['openrouter.ai'],
    state: { message: ['reasoning_details', 'reasoning'], call: [] },
    effort: { path: ['reasoning', 'effort'] },
    usage: { usage: { include: true }, ...usageOption },
    cache: {
      short: { cache_control: { type: 'ephemeral' } },
      long: { cache_control: { type: 'ephemeral', ttl: '1h' } },
    },
    media: { ...images, user: [...images.user, 'application/pdf'] },
  },
  // llama.cpp, tools/server/README.md. What a template reads of an option goes into `chat_template_kwargs`. Older versions refuse a content of
  // null: ggml-org/llama.cpp#13471.
  llamacpp: {
    ...standard,
    emptyContent: 'text',
    port: 8_080,
    state: { message: ['reasoning_content'], call: [] },
    effort: {
      path: ['chat_template_kwargs', 'reasoning_effort'],
      none: { chat_template_kwargs: { enable_thinking: false } },
      beside: { chat_template_kwargs: { enable_thinking: true } },
    },
  },
  // vLLM, "Reasoning outputs", "Tool calling". It has renamed `reasoning_content` to `reasoning`: vllm-project/vllm#27755. Chat templates
  // reject two messages of a user in a row: vllm-project/vllm#6862.
  vllm: {
    ...standard,
    port: 8_000,
    state: { message: ['reasoning', 'reasoning_content'], call: [] },
    effort: { ...effort, none: { chat_template_kwargs: { enable_thinking: false } } },
  },
  // Ollama, "OpenAI compatibility". It knows no `tool_choice`; an empty text in place of null makes models write their calls as text:
  // vercel/ai#12390.
  ollama: {
    ...standard,
    hosts: ['ollama.com'],
    port: 11_434,
    state: { message: ['reasoning'], call: [] },
    toolsOff: 'left_out',
  },
  // LM Studio, "OpenAI compatibility". Older versions refuse a content of null: lmstudio-ai/lmstudio-bug-tracker#261.
  lmstudio: {
    ...standard,
    port: 1_234,
    emptyContent: 'text',
  },
  // Any other endpoint: the reasoning goes back under the name that it came by. One that refuses a field gets the request without it.
  unknown: {
    ...standard,
    state: {
      message: ['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content'],
      call: ['extra_content'],
    },
  },
} as const satisfies Record<string, ChatFamily>;

export type FamilyName = keyof typeof families;

const names = Object.keys(families) as FamilyName[]; // the keys of a literal

const isBelow = (host: string, of: string): boolean => host === of || host.endsWith(`.${of}`);

/** A name without a dot is one of a private network, for example of a container. */
const isPrivate = (host: string): boolean =>
  /^([^.]+|.*\.(localhost|local|internal)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*)$/.test(host);

/** Returns the family of an endpoint, by the host of its address, or on a private host by its port. */
export function familyAt(baseUrl: string): FamilyName {
  const { hostname, port } = new URL(baseUrl);
  const byHost = names.find((name) => families[name].hosts.some((host) => isBelow(hostname, host)));
  if (byHost) return byHost;
  const rows: Readonly<Record<FamilyName, ChatFamily>> = families;
  const byPort = isPrivate(hostname) ? names.find((name) => rows[name].port === Number(port)) : undefined;
  return byPort ?? 'unknown';
}

/** The names of Mistral's models: a server of any family may run them, with Mistral's template. */
const mistralModels = /mistral|ministral|mixtral|devstral|magistral|codestral|pixtral/i;

/** Returns the rules for a model at an endpoint of the family. */
export function rulesFor(name: FamilyName, model: string): ChatFamily {
  const family: ChatFamily = families[name];
  const callIds = mistralModels.test(model) ? 'nine' : family.callIds;
  if (family.statefulModels?.test(model) ?? true) return { ...family, callIds };
  return { ...family, callIds, withoutState: 'calls' };
}
