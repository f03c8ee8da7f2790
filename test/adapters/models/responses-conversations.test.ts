// Whole conversations by the Responses API, at a stand-in that refuses what OpenAI refuses.
import { describeConversations } from '../../support/endpoints/conversations.ts';
import { matrix } from '../../support/endpoints/matrix.ts';

for (const row of matrix) if (row.api === 'responses') describeConversations(row);
