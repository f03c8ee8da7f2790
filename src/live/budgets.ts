// The stop budgets: how long a leaf of the live tree may take to stop after its cut. Only leaves have one, so a deep tree needs no more time.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LiveTree, NodeChange, TreeObserver } from './tree.ts';

export class StopBudgets implements TreeObserver {
  readonly #tree: LiveTree;
  readonly #clock: Clock;

  constructor(tree: LiveTree, clock: Clock) {
    this.#tree = tree;
    this.#clock = clock;
    tree.observe(this);
  }

  /** Gives the leaves among `ids` one budget of `ms` milliseconds. Leaves that have not settled by then receive OVERDUE, the deepest first. */
  arm(ids: Iterable<NodeId>, ms: number): void {
    const leaves = [...ids].flatMap((id) => {
      const entry = this.#tree.get(id);
      return entry?.state === 'open' && this.#tree.isLeaf(entry) ? entry : [];
    });
    if (leaves.length === 0) return;
    for (const leaf of leaves) leaveBudget(leaf);
    const unsettled = new Set(leaves);
    const disarm = this.#clock.after(ms, () => {
      for (const leaf of [...unsettled].reverse()) {
        leaf.budget = null;
        leaf.actor?.send({ type: 'OVERDUE' });
      }
    });
    const budget = { unsettled, disarm };
    for (const leaf of leaves) leaf.budget = budget;
  }

  nodeChanged(entry: NodeEntry, change: NodeChange): void {
    if (change === 'settled' || change === 'gone') leaveBudget(entry);
  }

  /** Disarms all budgets. */
  close(): void {
    this.#tree.unobserve(this);
    for (const entry of this.#tree.entries()) leaveBudget(entry);
  }
}

function leaveBudget(entry: NodeEntry): void {
  const { budget } = entry;
  if (!budget) return;
  entry.budget = null;
  budget.unsettled.delete(entry);
  if (budget.unsettled.size === 0) budget.disarm();
}
