// Whole conversations by the AI SDK: Anthropic, Google and Mistral, each at a stand-in that refuses what the real endpoint refuses.
import { describeConversations } from '../../support/endpoints/conversations.ts';
import { matrix } from '../../support/endpoints/matrix.ts';

const apis = ['anthropic', 'google', 'mistral'];

for (const row of matrix) if (apis.includes(row.api)) describeConversations(row);
