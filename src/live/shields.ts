// Shields: regions in which a node is not aborted, for a declared time at most. A cut meanwhile takes effect at their end.
//
// 1. No region begins after the cut, or inside another one of its node: the first one's maximum bounds what is pending.
// 2. The stop budget of a node that was shielded begins at the shield's end.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { StopBudgets } from './budgets.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LiveTree } from './tree.ts';

/** The stop budgets of a call, in milliseconds: see workers/session-limits.ts. */
export interface ShieldLimits {
  readonly toolCancelMs: number;
  readonly forceCancelMs: number;
}

export class Shields {
  readonly #tree: LiveTree;
  readonly #budgets: StopBudgets;
  readonly #clock: Clock;
  readonly #limits: ShieldLimits;

  constructor(tree: LiveTree, budgets: StopBudgets, clock: Clock, limits: ShieldLimits) {
    this.#tree = tree;
    this.#budgets = budgets;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Begins a region. Returns the function that ends it; or why none begins: the node has been cut (or is gone), or is in one already. */
  begin(id: NodeId, maxMs: number): (() => void) | 'cut' | 'open' {
    const entry = this.#tree.get(id);
    if (!entry || entry.cut) return 'cut';
    if (entry.shield) return 'open';
    const shield = { until: this.#clock.now() + maxMs };
    entry.shield = shield;
    const endRegion = () => {
      disarm();
      if (entry.shield !== shield) return;
      entry.shield = null;
      for (const below of this.#tree.entries()) if (this.#tree.isBelow(below, id)) this.#stop(below);
    };
    const disarm = this.#clock.after(maxMs, endRegion);
    return endRegion;
  }

  /** Does what the cut could not do under the shield. */
  #stop(entry: NodeEntry): void {
    if (!entry.cut || this.#tree.shieldedUntil(entry) !== null) return;
    this.#tree.abort(entry.id);
    if (entry.forced) this.#tree.kill(entry.id);
    this.#budgets.arm([entry.id], entry.forced ? this.#limits.forceCancelMs : this.#limits.toolCancelMs);
  }
}
