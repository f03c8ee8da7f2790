// Reads from the facts of a session what models have used: in model calls, in summaries, and in calls whose tool reports it (an outside agent).
//
// The result of a sub-agent repeats the sum of its own model calls: it is not counted.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { NodeId, Usage } from '../../../machines/vocabulary.ts';

export interface UsedIn {
  readonly turn: NodeId;
  readonly usage: Usage;
}

/** Reads facts in their order. */
export class UsageReader {
  /** Sub-agents without a result. */
  readonly #agents = new Set<NodeId>();

  /** Returns what the fact says was used in addition to the facts before it; null: nothing. */
  read(fact: RecordedFact): UsedIn | null {
    if (fact.type === 'model_ended' || fact.type === 'history_compacted') return fact;
    if (fact.type === 'tool_call' && fact.kind === 'sub-agent') this.#agents.add(fact.node);
    if (fact.type !== 'tool_result' || this.#agents.delete(fact.node) || !fact.usage) return null;
    return { turn: fact.turn, usage: fact.usage };
  }
}
