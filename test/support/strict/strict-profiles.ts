// Lists what the strictest endpoint of each family takes: written from the vendors' pages and from refusals that people have met, not from Belay's
// own table, so that one can find a mistake in the other.

export interface StrictProfile {
  /** The ids of calls. */
  readonly callIds: RegExp;
  /** Whether a message of the user may follow the results of calls. */
  readonly userAfterResults: boolean;
  /** What the content of a message with calls may be, where it has no text. */
  readonly emptyContent: readonly ('null' | 'text' | 'left_out')[];
  /** The words by which it refuses another one. Left out: nobody has reported them. */
  readonly emptyContentWords?: string;
  /** The fields of a body that are refused. Left out: those of others are ignored. */
  readonly refusedFields?: RegExp;
  /** The fields of a message that are refused. */
  readonly refusedMessageFields: RegExp;
  /** What the calls of earlier responses must have; null: nothing. */
  readonly state: 'reasoning_content' | 'thought_signature' | 'signed_thinking' | null;
  /** Whether its models take tools only with the effort `none`. */
  readonly toolsOnlyWithoutReasoning?: boolean;
  /** The parts of a content that it takes, beside text. */
  readonly media: readonly string[];
}

const anyId = /^[^\s]{1,64}$/;
const allReasoning = /^(reasoning.*|thinking|extra_content)$/;

/** Jinja templates: roles that take turns, text alone. */
const template: StrictProfile = {
  callIds: anyId,
  userAfterResults: false,
  emptyContent: ['null', 'text', 'left_out'],
  refusedMessageFields: /^(reasoning_details|extra_content)$/,
  state: null,
  media: ['image_url'],
};

export const strictProfiles = {
  openai: {
    ...template,
    callIds: /^[^\s]{1,40}$/,
    userAfterResults: true,
    emptyContent: ['null', 'left_out'],
    refusedFields: /^(max_tokens|thinking|enable_thinking|chat_template_kwargs|usage|reasoning|cache_control)$/,
    refusedMessageFields: allReasoning,
    toolsOnlyWithoutReasoning: true,
    media: ['image_url', 'input_audio', 'file'],
  },
  gemini: {
    ...template,
    userAfterResults: true,
    refusedMessageFields: /^reasoning.*$/,
    refusedFields: /^(prompt_cache_key|max_completion_tokens)$/,
    state: 'thought_signature',
    media: ['image_url', 'input_audio', 'file'],
  },
  deepseek: { ...template, state: 'reasoning_content', media: [] },
  // MoonshotAI/kimi-cli#2621
  kimi: {
    ...template,
    emptyContent: ['null', 'left_out'],
    emptyContentWords: "Invalid request: the message at position 2 with role 'assistant' must not be empty",
    state: 'reasoning_content',
  },
  mistral: {
    ...template,
    callIds: /^[a-zA-Z0-9]{9}$/,
    emptyContent: ['text'],
    refusedFields: /^(stream_options|max_completion_tokens|usage|thinking|prompt_cache_retention)$/,
    refusedMessageFields: allReasoning,
  },
  // QwenLM/qwen-code#5265
  qwen: {
    ...template,
    emptyContent: ['text'],
    emptyContentWords: '<400> InternalError.Algo.InvalidParameter: The content field is a required field.',
  },
  // langchain-ai/langchain#34140
  xai: {
    ...template,
    userAfterResults: true,
    emptyContent: ['text'],
    emptyContentWords: 'Invalid request content: Each message must have at least one content element.',
    refusedMessageFields: allReasoning,
  },
  // fanenr/chatbot#21, tashfeenahmed/freellmapi#1070
  groq: {
    ...template,
    refusedFields: /^(store|prompt_cache_.*|cache_control|usage|thinking|enable_thinking|chat_template_kwargs)$/,
    refusedMessageFields: allReasoning,
  },
  openrouter: {
    ...template,
    userAfterResults: true,
    refusedMessageFields: /^extra_content$/,
    state: 'signed_thinking', // of Claude
    media: ['image_url', 'file'],
  },
  // ggml-org/llama.cpp#13471
  llamacpp: {
    ...template,
    emptyContent: ['text'],
    emptyContentWords: "Expected 'content' to be a string or an array",
  },
  vllm: template,
  ollama: { ...template, emptyContent: ['null', 'left_out'] },
  // lmstudio-ai/lmstudio-bug-tracker#261
  lmstudio: {
    ...template,
    emptyContent: ['text'],
    emptyContentWords: "Invalid 'content': 'content' field must be a string or an array of objects.",
  },
  unknown: { ...template, refusedMessageFields: /^$/, emptyContent: ['null'] },
} as const satisfies Record<string, StrictProfile>;
