// The worker of `compacting`: has the model shorten a long conversation, and writes the summary down.
//
// 1. Stopped before the commit, it changes nothing; the commit itself is shielded, and so is whole.
// 2. It is a help, not a condition: one that fails leaves the history as it is, and the turn goes on.
import type { CompactReply, PrepareInput } from '../../machines/contracts.ts';
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';
import type { Message, ModelEnd } from '../model/provider.ts';
import { findCompaction } from '../transcript/compaction.ts';
import { within, worker } from './worker.ts';

const task = (chars: number) =>
  `Summarize this conversation for yourself, in at most ${chars} characters: what was asked, what was done with which result, what was stopped or left undone, and what is still to be kept in mind. Write the summary only.`;

/** A model call without tools: its calls, and their results, as plain text. */
const asText = (message: Message): Message => {
  if (message.role === 'tool') return { role: 'user', content: `[result] ${message.content}` };
  if (message.role !== 'assistant') return message;
  const calls = message.calls.map((call) => `[called ${call.name} ${call.arguments}]`);
  return {
    role: 'assistant',
    content: [message.content, ...calls].filter((text) => text !== '').join('\n'),
    calls: [],
  };
};

export const compact = worker<CompactReply, PrepareInput>({
  async run({ id, agent }, job) {
    const { plane, entry, signal } = job;
    const { compactAboveBytes, summaryChars, modelUnwindMs, shieldMs } = plane.limits;
    const found = findCompaction(plane.history.facts(), id, compactAboveBytes);
    if (!found) return { usage: noUsage };
    const { provider, model } = plane.offer(agent);
    const messages: Message[] = [...found.messages.map(asText), { role: 'user', content: task(summaryChars) }];
    const parts: string[] = [];
    const answer = provider.stream(
      { messages, tools: [], ...(model !== undefined && { model }) },
      { signal, onText: (text) => void parts.push(text) },
    );
    const late = (): ModelEnd => ({ kind: 'stopped', calls: [], usage: unknownUsage });
    const end = await within(answer, job, modelUnwindMs, late);
    const summary = parts.join('').slice(0, summaryChars);
    if (end.kind === 'failed') plane.warn(`the history of ${plane.session} could not be shortened`, end.message);
    const commit =
      end.kind === 'completed' && summary.trim() !== '' && !entry.cut ? plane.shields.begin(id, shieldMs) : null;
    if (commit) {
      const fact = {
        type: 'history_compacted',
        turn: id,
        upTo: found.upTo,
        summary,
        usage: end.usage,
      } as const;
      await plane.append([fact]);
      commit();
    }
    return { usage: end.usage };
  },
  stopped: () => ({ usage: noUsage }),
  failed(error, _, { plane }) {
    plane.warn(`the history of ${plane.session} could not be shortened`, error);
    return { usage: unknownUsage };
  },
});
