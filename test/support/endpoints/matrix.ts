// The endpoints that Belay is tried with: for each a stand-in that refuses what the real one refuses, and the provider that speaks to it.
// docs/how-to/models.md has the same names.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import type { AiSdkModel } from '../../../src/adapters/models/ai-sdk/ai-sdk-model.ts';
import { createAiSdkAdapter } from '../../../src/adapters/models/ai-sdk/ai-sdk-provider.ts';
import { createChatProvider } from '../../../src/adapters/models/chat/chat-provider.ts';
import { createResponsesProvider } from '../../../src/adapters/models/responses/responses-provider.ts';
import { createHttpFetch } from '../../../src/adapters/models/transport/http-fetch.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { type ChatFamilyName, chatCompletions, streamsArguments } from './chat-completions.ts';
import type { Family } from './conversations.ts';
import { googleGenerateContent } from './google-generate-content.ts';
import { mistralChat } from './mistral-chat.ts';
import { openAIResponses, type ResponsesRules } from './openai-responses.ts';
import { startStandIn } from './stand-in.ts';

/** A row of the table of endpoints. */
export interface MatrixRow extends Family {
  /** As `model.api` has it. */
  readonly api: 'chat' | 'responses' | 'anthropic' | 'google' | 'mistral';
  /** As `model.family` has it. */
  readonly family?: ChatFamilyName;
}

const { clock, random } = systemSources;
const apiKey = 'test-key';
const aiSdk = { apiKey, fetch: createHttpFetch() };
const byAiSdk = (model: AiSdkModel, providerOptions = {}) =>
  createAiSdkAdapter({ model, clock, random, providerOptions });

/** `model`: the one whose rules are the strictest, where the family has several. */
const chatRow = (name: string, family: ChatFamilyName, model = 'm'): MatrixRow => ({
  name,
  api: 'chat',
  family,
  start: () => startStandIn(chatCompletions(family)),
  provider: (baseUrl) => createChatProvider({ baseUrl, apiKey, model, family, clock, random }),
  streamsArguments: streamsArguments(family),
});

const anthropicRow = (how: string, thinking: object): MatrixRow => ({
  name: `Anthropic${how}`,
  api: 'anthropic',
  start: () => startStandIn(anthropicMessages()),
  provider: (baseURL) =>
    byAiSdk(createAnthropic({ ...aiSdk, baseURL })('claude-sonnet-4-6'), { anthropic: { thinking } }),
});

const responsesRow = (how: string, rules: ResponsesRules): MatrixRow => ({
  name: `OpenAI${how}`,
  api: 'responses',
  start: () => startStandIn(openAIResponses(rules)),
  provider: (baseUrl) => createResponsesProvider({ baseUrl, apiKey, model: 'gpt-6.1-terra', clock, random }),
});

export const matrix: readonly MatrixRow[] = [
  responsesRow('', {}),
  responsesRow(', which gives long ids', { longIds: true }),
  chatRow('OpenAI, by Chat Completions', 'openai', 'gpt-5.6'),
  anthropicRow('', { type: 'adaptive' }),
  anthropicRow(', which always thinks', { type: 'enabled', budgetTokens: 2_000 }),
  {
    name: 'Google',
    api: 'google',
    start: () => startStandIn(googleGenerateContent()),
    provider: (baseURL) => byAiSdk(createGoogle({ ...aiSdk, baseURL })('gemini-3-pro')),
    streamsArguments: false,
  },
  chatRow('Google, by Chat Completions', 'gemini', 'gemini-3-pro'),
  {
    name: 'Mistral',
    api: 'mistral',
    start: () => startStandIn(mistralChat()),
    provider: (baseURL) => byAiSdk(createMistral({ ...aiSdk, baseURL })('magistral-medium-latest')),
    streamsArguments: false,
  },
  chatRow('Mistral, by Chat Completions', 'mistral', 'magistral-medium-latest'),
  chatRow('DeepSeek', 'deepseek', 'deepseek-reasoner'),
  chatRow('Kimi (Moonshot)', 'kimi', 'kimi-k2.6'),
  chatRow('Qwen (Model Studio)', 'qwen', 'qwen3-max'),
  chatRow('xAI', 'xai', 'grok-4'),
  chatRow('Groq', 'groq', 'openai/gpt-oss-120b'),
  chatRow('OpenRouter', 'openrouter', 'anthropic/claude-sonnet-4.6'),
  chatRow('llama.cpp', 'llamacpp'),
  chatRow('vLLM', 'vllm'),
  chatRow('Ollama', 'ollama'),
  chatRow('LM Studio', 'lmstudio'),
  chatRow('any other', 'unknown'),
];
