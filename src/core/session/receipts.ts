// The open receipts of a session. A receipt settles once, when every node that it lists has settled and their facts are written.

import type { CancelAccepted, CancelSettled, Fact, SequencedFact, SettledNode } from '../../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/drop-undefined.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree, NodeChange, TreeObserver } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';
import type { Appender, Projection } from '../transcript/journal.ts';

export interface Receipt {
  readonly accepted: CancelAccepted;
  readonly settled: Promise<CancelSettled>;
}

type Ending = Pick<SettledNode, 'outcome' | 'effect' | 'code' | 'forced'> & { readonly at: number };

interface ListedNode {
  readonly kind: NodeKind;
  ending: Ending | null;
}

interface OpenReceipt extends Receipt {
  /** In the order of the plan: stopping, then pending. */
  readonly nodes: ReadonlyMap<NodeId, ListedNode>;
  /** When it was accepted, in milliseconds since 1970. */
  readonly since: number;
  readonly resolve: (settled: CancelSettled) => void;
}

export class Receipts implements Projection, TreeObserver {
  readonly #tree: LiveTree;
  readonly #clock: Clock;
  readonly #journal: Appender;
  /** Null: none is open. */
  #open: Set<OpenReceipt> | null = null;
  #check: 'none' | 'scheduled' = 'none';
  readonly #closed = Promise.withResolvers<null>();

  constructor(tree: LiveTree, clock: Clock, journal: Appender) {
    this.#tree = tree;
    this.#clock = clock;
    this.#journal = journal;
  }

  /** The number of open receipts. */
  get size(): number {
    return this.#open?.size ?? 0;
  }

  /** Opens the receipt of an acceptance. */
  open(accepted: CancelAccepted): Receipt {
    const listed = [...accepted.stopping, ...accepted.pending];
    const { promise: settled, resolve } = Promise.withResolvers<CancelSettled>();
    const kindOf = (id: NodeId) => this.#tree.get(id)?.kind ?? 'turn';
    const receipt: OpenReceipt = {
      accepted,
      settled,
      resolve,
      nodes: new Map(listed.map((id) => [id, { kind: kindOf(id), ending: this.#endingOf(id) }])),
      since: this.#clock.now(),
    };
    if (!this.#open) this.#tree.observe(this);
    this.#open ??= new Set();
    this.#open.add(receipt);
    return receipt;
  }

  /** Returns an open receipt that lists all of these nodes. */
  findCovering(ids: Iterable<NodeId>): Receipt | undefined {
    const all = [...ids];
    return this.#all().find((receipt) => all.every((id) => receipt.nodes.has(id)));
  }

  /** Resolves when the open receipt that lists the node settles; with null if there is none, or the session ends first. */
  async endOf(id: NodeId): Promise<CancelSettled | null> {
    const receipt = this.findCovering([id]);
    return receipt ? Promise.race([receipt.settled, this.#closed.promise]) : null;
  }

  /** Returns the open receipt with this id. */
  find(cancel: string): Receipt | undefined {
    return this.#all().find(({ accepted }) => accepted.cancel === cancel);
  }

  onAppended({ fact }: SequencedFact): void {
    if (this.#open) this.#learn(fact);
  }

  nodeChanged(_: NodeEntry, change: NodeChange): void {
    if (change === 'settled' || change === 'gone') this.#checkSoon();
  }

  /** Resolves when every receipt that is open now has settled. */
  async allSettled(): Promise<void> {
    await Promise.all(this.#all().map(({ settled }) => settled));
  }

  /** Drops all open receipts; their promises never resolve. */
  close(): void {
    this.#dropAll();
    this.#closed.resolve(null);
  }

  #dropAll(): void {
    if (this.#open) this.#tree.unobserve(this);
    this.#open = null;
  }

  #all(): readonly OpenReceipt[] {
    return [...(this.#open ?? [])];
  }

  /** Returns the end of a node if another open receipt has recorded it. */
  #endingOf(id: NodeId): Ending | null {
    for (const { nodes } of this.#all()) {
      const ending = nodes.get(id)?.ending;
      if (ending) return ending;
    }
    return null;
  }

  #learn(fact: Fact): void {
    const ended = endingIn(fact, this.#clock.now());
    if (!ended) return;
    for (const { nodes } of this.#all()) {
      const listed = nodes.get(ended.node);
      if (listed) listed.ending ??= ended.ending;
    }
    this.#checkSoon();
  }

  /** After everything that is reported in this tick. */
  #checkSoon(): void {
    if (this.#check === 'scheduled' || !this.#open) return;
    this.#check = 'scheduled';
    queueMicrotask(() => {
      this.#check = 'none';
      for (const receipt of this.#all()) if (this.#hasSettled(receipt)) this.#settle(receipt);
    });
  }

  #hasSettled({ nodes }: OpenReceipt): boolean {
    return [...nodes].every(([id, { ending }]) => ending && (this.#tree.get(id)?.state ?? 'settled') === 'settled');
  }

  #settle(receipt: OpenReceipt): void {
    this.#open?.delete(receipt);
    if (this.#open?.size === 0) this.#dropAll();
    const { cancel, ref, source, by, reason, target } = receipt.accepted;
    const nodes = [...receipt.nodes].map(([node, { kind, ending }]): SettledNode => {
      const { at = receipt.since, ...rest } = ending ?? { outcome: 'failed', effect: 'unknown' };
      return { node, kind, ...rest, ms: Math.max(0, at - receipt.since) };
    });
    const fact: CancelSettled = { type: 'cancel_settled', cancel, ref, cause: { source, by, reason, target }, nodes };
    void this.#journal.append([fact]).then(() => receipt.resolve(fact));
  }
}

/** The node whose end a fact reports, and how it ended; `continues` is no end. */
function endingIn(fact: Fact, at: number): { readonly node: NodeId; readonly ending: Ending } | null {
  if (fact.type === 'turn_ended') {
    const { turn: node, outcome, effect, code } = fact;
    return { node, ending: { outcome, effect, at, ...dropUndefined({ code }) } };
  }
  if ((fact.type === 'tool_result' && fact.outcome !== 'continues') || fact.type === 'late_result') {
    const { node, outcome, effect } = fact;
    const { code, forced } = fact.type === 'tool_result' ? fact : {};
    return { node, ending: { outcome, effect, at, ...dropUndefined({ code, forced }) } };
  }
  if (fact.type === 'input_settled' && fact.fate === 'cancelled')
    return { node: fact.input, ending: { outcome: 'cancelled', effect: 'not_started', at } };
  return null;
}
