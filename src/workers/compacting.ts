// The worker of `compacting`: has the model shorten a long conversation, and writes the summary down.
//
// 1. Stopped before the commit, it changes nothing; the commit itself is shielded, and so is whole.
// 2. It goes on from the last summary: one that another lane has written meanwhile makes this one void.
// 3. It is a help, not a condition: one that fails leaves the history as it is, and the turn goes on.
import type { CompactReply, PrepareInput } from '../../machines/contracts.ts';
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';
import type { ModelEnd } from '../model/provider.ts';
import { findCompaction, fitSummary } from '../transcript/compaction.ts';
import { lastCompaction } from '../transcript/summary.ts';
import { within, worker } from './worker.ts';

export const compact = worker<CompactReply, PrepareInput>({
  async run({ id, agent }, job) {
    const { plane, entry, signal } = job;
    const { modelUnwindMs, shieldMs } = plane.limits;
    const found = findCompaction(plane.history.facts(), id, plane.limits);
    if (!found) return { usage: noUsage };
    const { provider, model } = plane.offer(agent);
    const parts: string[] = [];
    const answer = provider.stream(
      { messages: found.messages, tools: [], ...(model !== undefined && { model }) },
      { signal, onText: (text) => void parts.push(text) },
    );
    const late = (): ModelEnd => ({ kind: 'stopped', calls: [], usage: unknownUsage });
    const end = await within(answer, job, modelUnwindMs, late);
    const summary = fitSummary(parts.join(''), plane.limits);
    if (end.kind === 'failed') plane.warn(`the history of ${plane.session} could not be shortened`, end.message);
    const isWhole = end.kind === 'completed' && summary.trim() !== '' && !entry.cut;
    const isCurrent = lastCompaction(plane.history.facts()) === found.base;
    const region = isWhole && isCurrent ? plane.shields.begin(id, shieldMs) : 'cut';
    // `open`: the whole turn is shielded, and goes on to be
    if (region !== 'cut') {
      const fact = {
        type: 'history_compacted',
        turn: id,
        upTo: found.upTo,
        covers: found.covers,
        summary,
        usage: end.usage,
      } as const;
      await plane.append([fact]);
      if (region !== 'open') region();
    }
    return { usage: end.usage };
  },
  stopped: () => ({ usage: noUsage }),
  failed(error, _, { plane }) {
    plane.warn(`the history of ${plane.session} could not be shortened`, error);
    return { usage: unknownUsage };
  },
});
