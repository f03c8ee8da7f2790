// The stop budgets: how long a leaf may take to unwind, armed at the cut. Only leaves have one, so depth costs nothing.
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

  /** Gives the leaves among `ids` together `ms` milliseconds. Those that have not settled then get OVERDUE, deepest first. */
  arm(ids: Iterable<NodeId>, ms: number): void {
    const leaves = [...ids].flatMap((id) => {
      const entry = this.#tree.get(id);
      return entry?.state === 'open' && this.#tree.isLeaf(entry) ? entry : [];
    });
    if (leaves.length === 0) return;
    for (const leaf of leaves) drop(leaf);
    const waiting = new Set(leaves);
    const disarm = this.#clock.after(ms, () => {
      for (const leaf of [...waiting].reverse()) {
        leaf.budget = null;
        leaf.actor?.send({ type: 'OVERDUE' });
      }
    });
    const budget = { waiting, disarm };
    for (const leaf of leaves) leaf.budget = budget;
  }

  nodeChanged(entry: NodeEntry, change: NodeChange): void {
    if (change === 'settled' || change === 'gone') drop(entry);
  }

  /** Disarms all budgets. */
  close(): void {
    this.#tree.unobserve(this);
    for (const entry of this.#tree.entries()) drop(entry);
  }
}

function drop(entry: NodeEntry): void {
  const { budget } = entry;
  if (!budget) return;
  entry.budget = null;
  budget.waiting.delete(entry);
  if (budget.waiting.size === 0) budget.disarm();
}
