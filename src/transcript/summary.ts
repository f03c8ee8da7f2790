// What a conversation has been shortened to, and which of its turns that stands for.
import type { HistoryCompacted, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { note } from './notes.ts';

export interface Summary {
  readonly covers: ReadonlySet<NodeId>;
  /** What is told instead of them; null: nothing has been shortened yet. */
  readonly note: string | null;
}

/** The last summary of a conversation, if there is one. */
export const lastCompaction = (facts: readonly Recorded[]): HistoryCompacted | undefined =>
  facts.findLast((fact) => fact.type === 'history_compacted');

/** Each summary is made from the one before it, and so stands for the turns of all of them. */
export function summaryIn(facts: readonly Recorded[]): Summary {
  // a log from before `covers` was written: what it stands for is told twice rather than lost
  const covers = facts.flatMap((fact) => (fact.type === 'history_compacted' ? (fact.covers ?? []) : []));
  const last = lastCompaction(facts);
  return { covers: new Set(covers), note: last ? noteOfSummary(last.summary) : null };
}

export const noteOfSummary = (summary: string): string => note(`what was said before, in short: ${summary}`);
