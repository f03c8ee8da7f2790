// Whole conversations by the Responses API, at a stand-in that refuses what OpenAI refuses.
import { createResponsesProvider } from '../../src/model/responses/responses-provider.ts';
import { systemSources } from '../../src/sources/system.ts';
import { describeConversations } from '../support/endpoints/conversations.ts';
import { openAIResponses } from '../support/endpoints/openai-responses.ts';
import { startStandIn } from '../support/endpoints/stand-in.ts';

const { clock, random } = systemSources;
const provider = (baseURL: string) =>
  createResponsesProvider({ baseURL, apiKey: 'test-key', model: 'gpt-6.1-terra', clock, random });

describeConversations({ name: 'OpenAI, by Responses', start: () => startStandIn(openAIResponses()), provider });
