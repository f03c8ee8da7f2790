// The stop budgets: how long a leaf of the live tree may take to stop after its signal. Only leaves have one, so a deep tree needs no more time.
// The budget of a leaf is that of its tool, where the tool has one of its own, else the session's.
//
// 1. A budget starts when the signal of the leaf has fired: under a shield it has none.
// 2. A call is overdue only after a look at its processes. One whose processes have ended, or got their TERM just now, gets one more budget, in which its worker
//    reports the end.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { NodeEntry } from './node-entry.ts';
import { afterBudget } from './timers.ts';
import type { LiveTree, TreeObserver } from './tree.ts';

/** The stop budgets of a call, in milliseconds: without and with `force` (workers/session-limits.ts). */
export interface StopBudgetLimits {
  readonly toolCancelMs: number;
  readonly forceCancelMs: number;
}

/** Resolves with whether the call has started processes and each of them is dead or still has its grace. Never rejects. */
export type ProcessLook = (call: NodeId) => Promise<boolean>;

export class StopBudgets implements TreeObserver {
  readonly #tree: LiveTree;
  readonly #clock: Clock;
  readonly #limits: StopBudgetLimits;
  readonly #areProcessesEnding: ProcessLook;
  /** A leaf that has settled, or is gone, leaves its budget. */
  readonly nodeChanged = leaveBudget;

  constructor(tree: LiveTree, clock: Clock, limits: StopBudgetLimits, areProcessesEnding: ProcessLook) {
    this.#tree = tree;
    this.#clock = clock;
    this.#limits = limits;
    this.#areProcessesEnding = areProcessesEnding;
    tree.observe(this, ['settled', 'gone']);
  }

  /** Gives each leaf among `ids` whose signal has fired its budget. Leaves that have not settled by then receive OVERDUE, the deepest first. */
  arm(ids: Iterable<NodeId>, { force }: { readonly force: boolean }): void {
    const leaves = [...ids].flatMap((id) => {
      const entry = this.#tree.get(id);
      const isStopping = entry?.state.kind === 'cut' && entry.state.mark.work === 'aborted';
      return isStopping && this.#tree.isLeaf(entry) ? entry : [];
    });
    const byBudget = Map.groupBy(leaves, (leaf) => this.msOf(leaf, { force }));
    for (const [ms, group] of byBudget) this.#start(group, ms, (unsettled) => void this.#judge(unsettled));
  }

  /** Returns the stop budget of a call, in milliseconds. */
  msOf({ stopTerms }: NodeEntry, { force }: { readonly force: boolean }): number {
    return force ? this.#limits.forceCancelMs : (stopTerms?.budgetMs ?? this.#limits.toolCancelMs);
  }

  /** Starts one timer for leaves that have the same budget. */
  #start(leaves: readonly NodeEntry[], ms: number, onOver: (unsettled: Set<NodeEntry>) => void): void {
    for (const leaf of leaves) leaveBudget(leaf);
    const unsettled = new Set(leaves);
    const budget = { unsettled, disarm: afterBudget(this.#clock, ms, () => onOver(unsettled)) };
    for (const { state } of leaves) if (state.mark) state.mark.budget = budget;
  }

  /** Looks at the processes of the calls: those that are ending get one more budget, the others are overdue. */
  async #judge(unsettled: Set<NodeEntry>): Promise<void> {
    const leaves = [...unsettled];
    const looks = await Promise.all(leaves.map(({ id }) => this.#areProcessesEnding(id)));
    const ending = leaves.filter((leaf, at) => looks[at] && unsettled.has(leaf)); // some have settled meanwhile
    if (ending.length > 0) this.#start(ending, this.#limits.toolCancelMs, sendOverdue);
    sendOverdue(unsettled);
  }

  /** Disarms all budgets. */
  close(): void {
    this.#tree.unobserve(this);
    for (const entry of this.#tree.entries()) leaveBudget(entry);
  }
}

function sendOverdue(unsettled: Set<NodeEntry>): void {
  for (const leaf of [...unsettled].reverse()) {
    if (leaf.state.mark) leaf.state.mark.budget = null;
    leaf.send({ type: 'OVERDUE' });
  }
}

/** Takes a leaf out of its budget: it has ended. */
export function leaveBudget(entry: NodeEntry): void {
  const { mark } = entry.state;
  const budget = mark?.budget;
  if (!mark || !budget) return;
  mark.budget = null;
  budget.unsettled.delete(entry);
  if (budget.unsettled.size === 0) budget.disarm();
}
