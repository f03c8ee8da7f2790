// Whole conversations by the AI SDK: Anthropic, Google and Mistral, each at a stand-in that refuses what the real endpoint refuses.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import type { AiSdkModel } from '../../src/model/ai-sdk/ai-sdk-model.ts';
import { createAiSdkProvider } from '../../src/model/ai-sdk/ai-sdk-provider.ts';
import { createHttpFetch } from '../../src/model/transport/http-fetch.ts';
import { systemSources } from '../../src/sources/system.ts';
import { anthropicMessages } from '../support/endpoints/anthropic-messages.ts';
import { describeConversations } from '../support/endpoints/conversations.ts';
import { googleGenerateContent } from '../support/endpoints/google-generate-content.ts';
import { mistralChat } from '../support/endpoints/mistral-chat.ts';
import { startStandIn } from '../support/endpoints/stand-in.ts';

const { clock, random } = systemSources;
const common = { apiKey: 'test-key', fetch: createHttpFetch() };
const providerOf = (model: AiSdkModel, providerOptions = {}) =>
  createAiSdkProvider({ model, clock, random, providerOptions });

const thinkings = {
  'always thinks': { type: 'enabled', budgetTokens: 2_000 },
  'thinks if it wants to': { type: 'adaptive' },
};

for (const [how, thinking] of Object.entries(thinkings)) {
  describeConversations({
    name: `Anthropic, which ${how}`,
    start: () => startStandIn(anthropicMessages()),
    provider: (baseURL) =>
      providerOf(createAnthropic({ ...common, baseURL })('claude-sonnet-4-6'), { anthropic: { thinking } }),
  });
}

describeConversations({
  name: 'Google',
  start: () => startStandIn(googleGenerateContent()),
  provider: (baseURL) => providerOf(createGoogle({ ...common, baseURL })('gemini-3-pro')),
  streamsArguments: false,
});

describeConversations({
  name: 'Mistral',
  start: () => startStandIn(mistralChat()),
  provider: (baseURL) => providerOf(createMistral({ ...common, baseURL })('magistral-medium-latest')),
  streamsArguments: false,
});
