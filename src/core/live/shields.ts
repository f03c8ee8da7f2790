// Shields: regions in which a node is not aborted, for at most a declared time. A cut during a region takes effect when the region ends.
//
// 1. No region starts after the cut, or inside another region of the same node. So a cut is pending for at most the maximum of one region.
// 2. The stop budget of a shielded node starts at the end of the region.
import type { NodeId } from '../../../machines/vocabulary.ts';
import { addMs } from '../sources/monotonic-time.ts';
import type { Clock } from '../sources/sources.ts';
import type { StopBudgets } from './budgets.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LiveTree } from './tree.ts';

export class Shields {
  readonly #tree: LiveTree;
  readonly #budgets: StopBudgets;
  readonly #clock: Clock;

  constructor(tree: LiveTree, budgets: StopBudgets, clock: Clock) {
    this.#tree = tree;
    this.#budgets = budgets;
    this.#clock = clock;
  }

  /**
   * Starts a region of at most `maxMs` milliseconds. Returns the function that ends it. Returns instead why it cannot start: the node is `cut`
   * or gone, or a region of it is `open` already.
   */
  startRegion(id: NodeId, maxMs: number): (() => void) | 'cut' | 'open' {
    const entry = this.#tree.get(id);
    if (!entry || entry.cut) return 'cut';
    if (entry.shield) return 'open';
    const shield = { until: addMs(this.#clock.elapsed(), maxMs) };
    entry.shield = shield;
    const endRegion = () => {
      if (entry.shield !== shield) return;
      entry.shield = null;
      // a node counts as below itself
      for (const below of this.#tree.entries()) if (this.#tree.isBelow(below, id)) this.#applyCut(below);
    };
    const disarm = this.#clock.after(maxMs, endRegion);
    return () => {
      disarm();
      endRegion();
    };
  }

  /** Aborts a node that was cut under the shield, unless another shield is above it. */
  #applyCut(entry: NodeEntry): void {
    const { mark } = entry.state;
    if (!mark || this.#tree.shieldedUntil(entry) !== null) return;
    this.#tree.abort(entry.id);
    if (mark.forced) this.#tree.kill(entry.id);
    this.#budgets.arm([entry.id], { force: mark.forced });
  }
}
