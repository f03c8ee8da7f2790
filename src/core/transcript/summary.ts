// The summary of a conversation: the text that stands for turns of it in later requests.
import type { HistoryCompacted, RecordedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { note } from './notes.ts';

export interface Summary {
  /** The turns that it stands for. */
  readonly covers: ReadonlySet<NodeId>;
  /** The model reads this instead of them; null: there is no summary yet. */
  readonly note: string | null;
}

/** Returns the fact of the last compaction, if there was one. */
export const lastCompaction = (facts: readonly RecordedFact[]): HistoryCompacted | undefined =>
  facts.findLast((fact) => fact.type === 'history_compacted');

/** Returns the summary of a conversation. Each one is made from the one before it, and stands for the turns of all of them. */
export function summaryIn(facts: readonly RecordedFact[]): Summary {
  // early logs have no `covers`: the model reads those turns twice rather than not at all
  const covers = facts.flatMap((fact) => (fact.type === 'history_compacted' ? (fact.covers ?? []) : []));
  const last = lastCompaction(facts);
  return { covers: new Set(covers), note: last ? noteOfSummary(last.summary) : null };
}

/** Returns a summary as the model reads it. */
export const noteOfSummary = (summary: string): string => note(`what was said before, in short: ${summary}`);
