// The times at which a stop has reached the nodes that it cut, for their receipts: of the machines, and of what works for them.
import type { SettledNode } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LiveTree, NodeChange, TreeObserver } from './tree.ts';

type Times = NonNullable<SettledNode['times']>;

/** The place of a change in the times of a node. A node that has settled is gone at last; one without a machine is only gone. */
const places: Readonly<Record<NodeChange, number>> = { cut: 0, aborted: 1, arrived: 2, settled: 3, gone: 3, idle: 4 };

const stopChanges: readonly NodeChange[] = ['cut', 'aborted', 'arrived', 'settled', 'gone', 'idle'];

/** What works for a node is seen to end if it worked when the node was cut: what writes its end is no work of it. */
interface Reached {
  readonly times: (number | null)[];
  readonly hadWork: boolean;
}

export class StopSteps implements TreeObserver {
  readonly #tree: Pick<LiveTree, 'observe' | 'unobserve'>;
  readonly #ageMs: () => number;
  readonly #reached = new Map<NodeId, Reached>();

  /** `ageMs` returns the present, in milliseconds from where the times count. */
  constructor(tree: Pick<LiveTree, 'observe' | 'unobserve'>, ageMs: () => number) {
    this.#tree = tree;
    this.#ageMs = ageMs;
    tree.observe(this, stopChanges);
  }

  /** Forgets all times: no stop is under way. */
  forget(): void {
    this.#reached.clear();
  }

  /** Stops following the tree. */
  close(): void {
    this.#tree.unobserve(this);
    this.forget();
  }

  nodeChanged(entry: NodeEntry, change: NodeChange): void {
    if (change === 'cut') {
      const hadWork = entry.workers > 0;
      this.#reached.set(entry.id, { times: [null, null, null, null, null], hadWork });
    }
    const reached = this.#reached.get(entry.id);
    if (!reached || (change === 'idle' && (entry.workers > 0 || !reached.hadWork))) return;
    reached.times[places[change]] ??= this.#ageMs();
  }

  /**
   * Returns the times of a node, in milliseconds since its CANCEL was accepted; undefined: none is known. `endedAt`: when its end was written. A node
   * settles just after that, and the receipt may be written with it.
   */
  readonly since = (acceptedAt: number, node: NodeId, endedAt: number): Times | undefined =>
    this.#reached.get(node)?.times.map((reached, place) => {
      const time = reached ?? (place === places.settled ? endedAt : null);
      return time === null ? null : Math.max(0, time - acceptedAt);
    });
}
