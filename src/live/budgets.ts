// The stop budgets: how long a leaf of the live tree may take to stop after its cut. Only leaves have one, so a deep tree needs no more time.
// The budget of a leaf is that of its tool, where the tool has one of its own, else the session's.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LiveTree, NodeChange, TreeObserver } from './tree.ts';

/** The stop budgets of a call, in milliseconds: without and with `force` (workers/session-limits.ts). */
export interface StopBudgetLimits {
  readonly toolCancelMs: number;
  readonly forceCancelMs: number;
}

export class StopBudgets implements TreeObserver {
  readonly #tree: LiveTree;
  readonly #clock: Clock;
  readonly #limits: StopBudgetLimits;

  constructor(tree: LiveTree, clock: Clock, limits: StopBudgetLimits) {
    this.#tree = tree;
    this.#clock = clock;
    this.#limits = limits;
    tree.observe(this);
  }

  /** Gives each leaf among `ids` its budget. Leaves that have not settled by then receive OVERDUE, the deepest first. */
  arm(ids: Iterable<NodeId>, { force }: { readonly force: boolean }): void {
    const leaves = [...ids].flatMap((id) => {
      const entry = this.#tree.get(id);
      return entry?.state === 'open' && this.#tree.isLeaf(entry) ? entry : [];
    });
    const byBudget = Map.groupBy(leaves, (leaf) => this.msOf(leaf, { force }));
    for (const [ms, group] of byBudget) this.#start(group, ms);
  }

  /** Returns the stop budget of a call, in milliseconds. */
  msOf({ stopBudgetMs }: NodeEntry, { force }: { readonly force: boolean }): number {
    return force ? this.#limits.forceCancelMs : (stopBudgetMs ?? this.#limits.toolCancelMs);
  }

  /** Starts one timer for leaves that have the same budget. */
  #start(leaves: readonly NodeEntry[], ms: number): void {
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
