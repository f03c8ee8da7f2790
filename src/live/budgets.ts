// The budgets of stopping: how long a leaf may take to unwind, armed at the cut. Only leaves have one, so depth costs nothing.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import type { Tree } from './tree.ts';

export type Budgets = ReturnType<typeof createBudgets>;

export function createBudgets(tree: Tree, clock: Clock) {
  interface Budget {
    readonly waiting: Set<NodeId>;
    readonly disarm: Disarm;
  }
  const budgets = new Map<NodeId, Budget>();

  const drop = (id: NodeId) => {
    const budget = budgets.get(id);
    if (!budget) return;
    budgets.delete(id);
    budget.waiting.delete(id);
    if (budget.waiting.size === 0) budget.disarm();
  };
  const unwatch = tree.watch(({ id }) => drop(id));

  return {
    /** Gives the leaves among `ids` together `ms` milliseconds; what has not settled then hears OVERDUE, deepest first. */
    arm(ids: Iterable<NodeId>, ms: number): void {
      const leaves = [...ids].filter((id) => {
        const entry = tree.get(id);
        return entry?.state === 'open' && tree.isLeaf(entry);
      });
      for (const id of leaves) drop(id);
      if (leaves.length === 0) return;
      const waiting = new Set(leaves);
      const disarm = clock.after(ms, () => {
        for (const id of [...waiting].reverse()) {
          budgets.delete(id);
          tree.get(id)?.actor?.send({ type: 'OVERDUE' });
        }
      });
      for (const id of leaves) budgets.set(id, { waiting, disarm });
    },
    /** Leaves that have a budget running. */
    get size() {
      return budgets.size;
    },
    close(): void {
      unwatch();
      for (const { disarm } of new Set(budgets.values())) disarm();
      budgets.clear();
    },
  };
}
