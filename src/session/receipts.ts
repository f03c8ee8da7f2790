// The receipts of a session: each is told once, when all that it lists has settled and what it speaks of has been written.
import type { CancelAccepted, CancelSettled, Fact, SettledNode } from '../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../machines/vocabulary.ts';
import type { Tree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';

export interface Receipt {
  readonly accepted: CancelAccepted;
  readonly settled: Promise<CancelSettled>;
}

interface Open extends Receipt {
  /** In the order of the plan: stopping and pending. */
  readonly nodes: ReadonlyMap<NodeId, NodeKind>;
  readonly since: number;
  readonly tell: (settled: CancelSettled) => void;
}

type Ending = Pick<SettledNode, 'outcome' | 'effect' | 'code' | 'forced'> & { readonly at: number };

export interface ReceiptsOptions {
  readonly tree: Tree;
  readonly clock: Clock;
  append(facts: readonly Fact[]): Promise<void>;
}

export type Receipts = ReturnType<typeof createReceipts>;

/** What a fact says has become of which node; `continues` says nothing of the end. */
function endingIn(fact: Fact, at: number): readonly [NodeId, Ending] | null {
  if (fact.type === 'turn_ended') {
    const { turn, outcome, effect, code } = fact;
    return [turn, { outcome, effect, at, ...(code !== undefined && { code }) }];
  }
  if ((fact.type === 'tool_result' && fact.outcome !== 'continues') || fact.type === 'late_result') {
    const { node, outcome, effect } = fact;
    const { code, forced } = fact.type === 'tool_result' ? fact : {};
    return [node, { outcome, effect, at, ...(code !== undefined && { code }), ...(forced && { forced }) }];
  }
  return null;
}

export function createReceipts({ tree, clock, append }: ReceiptsOptions) {
  const open = new Set<Open>();
  /** Of the nodes that open receipts list. */
  const endings = new Map<NodeId, Ending>();
  let looking = false;

  const hasSettled = (id: NodeId) => endings.has(id) && (tree.get(id)?.state ?? 'settled') === 'settled';

  const look = () => {
    looking = false;
    for (const receipt of open) if ([...receipt.nodes.keys()].every(hasSettled)) tell(receipt);
  };
  /** Behind all that is being told in this tick. */
  const lookSoon = () => {
    if (looking || open.size === 0) return;
    looking = true;
    queueMicrotask(look);
  };
  const tell = (receipt: Open) => {
    open.delete(receipt);
    const { cancel, ref, source, by, reason, target } = receipt.accepted;
    const nodes = [...receipt.nodes].map(([node, kind]): SettledNode => {
      const { at = receipt.since, ...ending } = endings.get(node) ?? { outcome: 'failed', effect: 'unknown' };
      return { node, kind, ...ending, ms: Math.max(0, at - receipt.since) };
    });
    for (const id of receipt.nodes.keys()) if (![...open].some((other) => other.nodes.has(id))) endings.delete(id);
    const fact: CancelSettled = { type: 'cancel_settled', cancel, ref, cause: { source, by, reason, target }, nodes };
    void append([fact]).then(() => receipt.tell(fact));
  };
  const unwatch = tree.watch(lookSoon);

  return {
    open(accepted: CancelAccepted): Receipt {
      const listed = [...accepted.stopping, ...accepted.pending];
      const { promise: settled, resolve } = Promise.withResolvers<CancelSettled>();
      const receipt: Open = {
        accepted,
        settled,
        tell: resolve,
        nodes: new Map(listed.map((id) => [id, tree.get(id)?.kind ?? 'turn'])),
        since: clock.now(),
      };
      open.add(receipt);
      return receipt;
    },
    /** An open receipt that lists all of these. */
    covering: (ids: Iterable<NodeId>): Receipt | undefined => {
      const all = [...ids];
      return [...open].find((receipt) => all.every((id) => receipt.nodes.has(id)));
    },
    byId: (cancel: string): Receipt | undefined => [...open].find(({ accepted }) => accepted.cancel === cancel),
    learn(facts: readonly Fact[]): void {
      for (const fact of facts) {
        const ending = endingIn(fact, clock.now());
        if (!ending) continue;
        const [id, what] = ending;
        if (endings.has(id) || ![...open].some(({ nodes }) => nodes.has(id))) continue;
        endings.set(id, what);
        lookSoon();
      }
    },
    /** Resolves when every receipt that is open now has been told. */
    allTold: async (): Promise<void> => {
      await Promise.all([...open].map(({ settled }) => settled));
    },
    get size() {
      return open.size;
    },
    close: unwatch,
  };
}
