// Shields: regions in which a node is not aborted, for a declared time at most. A cut meanwhile takes effect at their end.
//
// 1. No region begins behind the cut, or in another one of its node: the first one's maximum bounds what is pending.
// 2. The stop budget of what a shield has protected begins at its end.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { Budgets } from './budgets.ts';
import type { Entry, Tree } from './tree.ts';

export interface ShieldsOptions {
  readonly tree: Tree;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** The stop budget of a call, by whether it is forced. */
  budgetMs(forced: boolean): number;
}

export type Shields = ReturnType<typeof createShields>;

export function createShields({ tree, budgets, clock, budgetMs }: ShieldsOptions) {
  const stop = (entry: Entry) => {
    if (!entry.cut || tree.shieldedUntil(entry) !== null) return;
    tree.abort(entry.id);
    if (entry.forced) tree.kill(entry.id);
    budgets.arm([entry.id], budgetMs(entry.forced));
  };
  return {
    /** Begins a region. Returns the way to end it; or why none begins: the node has been cut (or is gone), or is in one already. */
    begin(id: NodeId, maxMs: number): (() => void) | 'cut' | 'open' {
      const entry = tree.get(id);
      if (!entry || entry.cut) return 'cut';
      if (entry.shield) return 'open';
      const shield = { until: clock.now() + maxMs };
      entry.shield = shield;
      const end = () => {
        disarm();
        if (entry.shield !== shield) return;
        entry.shield = null;
        for (const below of tree.all()) if (tree.isBelow(below, id)) stop(below);
      };
      const disarm = clock.after(maxMs, end);
      return end;
    },
  };
}
