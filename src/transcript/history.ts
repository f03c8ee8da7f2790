// The part of a session's transcript that its open turns can still need, in memory while the session is awake.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';

export type History = ReturnType<typeof createHistory>;

/** Keeps the facts from the first of the last `contextTurns` root turns on, and all of those that are open. */
export function createHistory({ contextTurns }: { contextTurns: number }) {
  let facts: Recorded[] = [];
  /** Root turns in order, with the number of their facts' roots that are open. */
  const roots: NodeId[] = [];
  const open = new Set<NodeId>();
  /** Slack: pruning costs a walk, so it is done once for several turns. */
  const slack = Math.max(8, Math.ceil(contextTurns / 4));

  const prune = () => {
    const oldestOpen = roots.findIndex((root) => open.has(root));
    const first = Math.min(roots.length - contextTurns, oldestOpen < 0 ? Number.POSITIVE_INFINITY : oldestOpen);
    if (first < slack) return;
    roots.splice(0, first);
    const keepFrom = facts.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === roots[0]);
    if (keepFrom <= 0) return;
    // a summary stands for what is left out, wherever it was written
    const summary = facts.slice(0, keepFrom).findLast(({ type }) => type === 'history_compacted');
    facts = [...(summary ? [summary] : []), ...facts.slice(keepFrom)];
  };

  return {
    add(added: readonly Recorded[]): void {
      for (const fact of added) {
        facts.push(fact);
        if (fact.type === 'turn_opened') {
          roots.push(fact.turn);
          open.add(fact.turn);
        }
        if (fact.type === 'turn_ended' && open.delete(fact.turn)) prune();
      }
    },
    facts: (): readonly Recorded[] => facts,
  };
}
