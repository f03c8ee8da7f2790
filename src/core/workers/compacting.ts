// The worker of `compacting`: has the model shorten a long conversation, and writes the summary to the journal.
//
// 1. Stopped before the commit, it changes nothing; the commit itself is shielded, and so is whole.
// 2. It continues from the last summary: one that another lane has written meanwhile makes this one void.
// 3. It is optional: a failure leaves the history as it is, and the turn goes on.
import type { CompactReply, PrepareInput } from '../../../machines/contracts.ts';
import { noUsage, type Usage, unknownUsage } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { addCost } from '../contracts/price.ts';
import { type ModelEnd, originOf } from '../contracts/provider.ts';
import { type Compaction, findCompaction, fitSummary, lastCompaction } from '../transcript/compaction.ts';
import { settleWithin } from './settle-within.ts';
import { type Job, worker } from './worker.ts';

type CompactingJob = Job<'runtime' | 'session' | 'history' | 'shields' | 'journal'>;

export const compact = worker<PrepareInput, CompactReply, 'runtime' | 'session' | 'history' | 'shields' | 'journal'>({
  async run({ id, agent }, job) {
    const { runtime, session, history } = job.services;
    const found = findCompaction(history.facts(), id, runtime.limits);
    if (!found) return { usage: noUsage };
    const { provider, model } = runtime.profileOf(agent);
    const parts: string[] = [];
    const response = provider.stream(
      { messages: found.messages, tools: [], model },
      { signal: job.signal, onText: (text) => void parts.push(text) },
    );
    const end = await settleWithin<ModelEnd | null>(response, job, runtime.limits.modelUnwindMs, () => null);
    if (end === null) return { usage: unknownUsage, code: 'model_abandoned' };
    if (end.kind === 'failed') runtime.warn(`The history of ${session.id} could not be shortened.`, end.message);
    const writer = originOf(provider, model).model;
    const usage = addCost(end.usage, runtime.priceOf(writer));
    if (end.kind === 'completed') await writeSummary({ text: parts.join(''), writer, usage }, found, id, job);
    return { usage };
  },
  stopped: () => ({ usage: noUsage }),
  failed(error, _, { services: { runtime, session } }) {
    runtime.warn(`The history of ${session.id} could not be shortened.`, error);
    return { usage: unknownUsage };
  },
});

async function writeSummary(
  { text, writer, usage }: { readonly text: string; readonly writer: string; readonly usage: Usage },
  { base, upTo, covers }: Compaction,
  turn: string,
  { services, entry }: CompactingJob,
): Promise<void> {
  const { runtime, history, shields, journal } = services;
  const summary = fitSummary(text, runtime.limits);
  const isCurrent = lastCompaction(history.facts()) === base;
  if (summary.trim() === '' || !isCurrent || entry.cut) return;
  const region = shields.startRegion(turn, runtime.limits.shieldMs);
  if (region === 'cut') return;
  const { owner } = entry;
  const model = dropUndefined({ model: writer || undefined });
  await journal.append([{ type: 'history_compacted', turn, upTo, covers, owner, summary, ...model, usage }]);
  if (region !== 'open') region(); // `open`: the whole turn is shielded, and stays so
}
