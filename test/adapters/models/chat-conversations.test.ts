// Whole conversations by Chat Completions, with each family of endpoints: at a stand-in that refuses what the strictest one of it refuses.
import { describeConversations } from '../../support/endpoints/conversations.ts';
import { matrix } from '../../support/endpoints/matrix.ts';

for (const row of matrix) if (row.api === 'chat') describeConversations(row);
