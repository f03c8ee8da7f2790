// The open receipts of a session. A receipt settles once: its second half is written with the last end of the nodes that it lists, in the same append.
//
// 1. What became of them, and when it is written, comes from their facts alone, by the fold that recovery uses too.
// 2. How the stop has reached each node comes from the live tree.
// 3. Who waits for it is notified after its commit, when the nodes have left their lanes too.
import type { CancelAccepted, CancelSettled } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { StopSteps } from '../live/stop-steps.ts';
import type { LiveTree, TreeObserver } from '../live/tree.ts';
import { listedNodes } from '../receipt/receipt.ts';
import { foldedTypes, ReceiptFold } from '../receipt/receipt-fold.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../sources/sources.ts';
import { type FactHandlers, handlersOf, type Projection } from '../transcript/journal.ts';
import type { Inbox } from './inbox.ts';

export interface Receipt {
  readonly accepted: CancelAccepted;
  readonly settled: Promise<CancelSettled>;
}

interface OpenReceipt extends Receipt {
  readonly nodes: ReadonlySet<NodeId>;
  readonly resolve: (settled: CancelSettled) => void;
  state: ReceiptState;
}

/** `open`: a node has not ended. `appended`: its second half has a sequence number. `committed`: nodes may be in the live tree still. */
type ReceiptState =
  | { readonly kind: 'open' }
  | { readonly kind: 'appended' | 'committed'; readonly fact: CancelSettled };

const open: ReceiptState = { kind: 'open' };

/** Shared by all sessions: most have no open receipt. */
const none: readonly never[] = [];

export class Receipts implements Projection, TreeObserver {
  static readonly #handlers = handlersOf(foldedTypes, function (this: Receipts, fact) {
    this.#fold ??= new ReceiptFold();
    const ended = this.#fold.add({ ...fact, at: this.#ageMs }); // the time of day may step between two facts
    // a call that was never opened: with its result it has no place in the tree any more
    if (fact.type === 'tool_result' && this.#tree.get(fact.node)?.actor === null) this.#tree.remove(fact.node);
    this.#forgetUnneeded(ended === null ? [] : [ended]);
    const fold = this.#fold;
    return fold ? this.#open.flatMap((receipt) => this.#settleIfDone(receipt, fold)) : none;
  });
  static readonly #committedHandlers: FactHandlers<Receipts> = {
    cancel_settled({ cancel }) {
      for (const receipt of this.#open)
        if (receipt.accepted.cancel === cancel && receipt.state.kind === 'appended')
          receipt.state = { ...receipt.state, kind: 'committed' };
      this.#notifySettled();
    },
  };
  readonly appended = Receipts.#handlers;
  readonly committed = Receipts.#committedHandlers;
  readonly #tree: LiveTree;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #startedAt: MonotonicTime;
  readonly #inbox: Pick<Inbox, 'deliver'>;
  /** The receipts that have not settled, or whose nodes are not gone yet. */
  #open: readonly OpenReceipt[] = none;
  /** The ends of the nodes that a receipt lists, or that a CANCEL may still list. Made with the first fact for it. */
  #fold: ReceiptFold | null = null;
  /** Made with the first stop: most sessions have none. */
  #steps: StopSteps | null = null;
  readonly #closed = Promise.withResolvers<null>();

  constructor(tree: LiveTree, clock: Pick<Clock, 'elapsed'>, inbox: Pick<Inbox, 'deliver'>) {
    this.#tree = tree;
    this.#clock = clock;
    this.#startedAt = clock.elapsed();
    this.#inbox = inbox;
    tree.observe(this, ['settled', 'gone']);
  }

  /** The number of open receipts. */
  get size(): number {
    return this.#open.length;
  }

  /** The number of calls, ends and receipts that are kept for what is open. */
  get foldSize(): number {
    return this.#fold?.size ?? 0;
  }

  /** Opens the receipt of an acceptance, which is to be appended in the same tick. */
  open(accepted: CancelAccepted): Receipt {
    const { promise: settled, resolve } = Promise.withResolvers<CancelSettled>();
    const nodes = new Set(listedNodes(accepted));
    const receipt: OpenReceipt = { accepted, settled, resolve, nodes, state: open };
    this.#steps ??= new StopSteps(this.#tree, () => this.#ageMs);
    this.#open = [...this.#open, receipt];
    return receipt;
  }

  /** Returns an open receipt that lists all of these nodes. */
  findCovering(ids: Iterable<NodeId>): Receipt | undefined {
    const all = [...ids];
    return this.#open.find((receipt) => all.every((id) => receipt.nodes.has(id)));
  }

  /** Resolves when the open receipt that lists the node settles; with null if there is none, or the session ends first. */
  async endOf(id: NodeId): Promise<CancelSettled | null> {
    const receipt = this.findCovering([id]);
    return receipt ? Promise.race([receipt.settled, this.#closed.promise]) : null;
  }

  /** Returns the open receipt with this id. */
  find(cancel: string): Receipt | undefined {
    return this.#open.find(({ accepted }) => accepted.cancel === cancel);
  }

  /** Milliseconds since its start: the times in its fold. */
  get #ageMs(): number {
    return msSince(this.#clock, this.#startedAt);
  }

  nodeChanged({ id }: NodeEntry): void {
    this.#forgetUnneeded([id]);
    this.#notifySettled();
  }

  /** Resolves when every receipt that is open now has settled. */
  async allSettled(): Promise<void> {
    await Promise.all(this.#open.map(({ settled }) => settled));
  }

  /** Drops all open receipts; their promises never resolve. */
  close(): void {
    this.#tree.unobserve(this);
    this.#steps?.close();
    this.#open = none;
    this.#fold = null;
    this.#closed.resolve(null);
  }

  /** Forgets the ends of those nodes that no receipt lists, and none can list any more; and the fold, when it holds nothing. */
  #forgetUnneeded(ids: Iterable<NodeId>): void {
    for (const id of ids) if (!this.#isLive(id) && !this.findCovering([id])) this.#fold?.forgetEnd(id);
    if (this.#fold?.size === 0) this.#fold = null;
  }

  /** Whether a CANCEL may still list the node: one whose machine threw is closed before it is settled. */
  #isLive(id: NodeId): boolean {
    const entry = this.#tree.get(id);
    return entry !== undefined && entry.state.kind !== 'settled';
  }

  /** Returns the second half of a receipt; nothing if it has one, or a node has not ended. */
  #settleIfDone(receipt: OpenReceipt, fold: ReceiptFold): readonly CancelSettled[] {
    const { cancel } = receipt.accepted;
    const folded = receipt.state.kind === 'open' ? fold.get(cancel) : undefined;
    if (!folded || ![...receipt.nodes].every((id) => fold.endOf(id))) return none;
    const fact = fold.settle(folded, this.#ageMs, this.#steps?.since);
    receipt.state = { kind: 'appended', fact };
    if (this.#open.every(({ state }) => state.kind !== 'open')) this.#steps?.forget();
    fold.forgetReceipt(cancel);
    return [fact];
  }

  /** Closes the receipts that have committed and whose nodes have settled: an acknowledgement that waits for one finds its lane free. */
  #notifySettled(): void {
    for (const receipt of this.#open) {
      const { accepted, state, nodes, resolve } = receipt;
      if (state.kind !== 'committed' || [...nodes].some((id) => this.#isLive(id))) continue;
      this.#open = this.#open.filter((one) => one !== receipt);
      this.#forgetUnneeded(nodes);
      this.#inbox.deliver({ type: 'STOP_SETTLED', cancel: accepted.cancel });
      resolve(state.fact);
    }
  }
}
