// The open receipts of a session. A receipt settles once, when every node that it lists has settled and their facts are written.
//
// What became of them comes from those facts alone, by the fold that recovery uses too; the live tree says when, and how the stop has reached each node.
import type { CancelAccepted, CancelSettled } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { StopSteps } from '../live/stop-steps.ts';
import type { LiveTree, TreeObserver } from '../live/tree.ts';
import { listedNodes } from '../receipt/receipt.ts';
import { foldedTypes, ReceiptFold } from '../receipt/receipt-fold.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../sources/sources.ts';
import { type Appender, handlersOf, type Projection } from '../transcript/journal.ts';
import type { Inbox } from './inbox.ts';

export interface Receipt {
  readonly accepted: CancelAccepted;
  readonly settled: Promise<CancelSettled>;
}

interface OpenReceipt extends Receipt {
  readonly nodes: ReadonlySet<NodeId>;
  readonly resolve: (settled: CancelSettled) => void;
}

/** Shared by all sessions: most have no open receipt. */
const none: readonly OpenReceipt[] = [];

export class Receipts implements Projection, TreeObserver {
  static readonly #handlers = handlersOf(foldedTypes, function (this: Receipts, fact) {
    this.#fold ??= new ReceiptFold();
    const ended = this.#fold.add({ ...fact, at: this.#ageMs }); // the time of day may step between two facts
    // a call that was never opened: with its result it has no place in the tree any more
    if (fact.type === 'tool_result' && this.#tree.get(fact.node)?.actor === null) this.#tree.remove(fact.node);
    this.#forgetUnneeded(ended === null ? [] : [ended]);
    this.#checkSoon();
  });
  readonly appended = Receipts.#handlers;
  readonly #tree: LiveTree;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #startedAt: MonotonicTime;
  readonly #journal: Appender;
  readonly #inbox: Pick<Inbox, 'deliver'>;
  /** The receipts that have not settled. */
  #open: readonly OpenReceipt[] = none;
  /** The ends of the nodes that a receipt lists, or that a CANCEL may still list. Made with the first fact for it. */
  #fold: ReceiptFold | null = null;
  readonly #steps: StopSteps;
  #check: 'none' | 'scheduled' = 'none';
  readonly #closed = Promise.withResolvers<null>();

  constructor(tree: LiveTree, clock: Pick<Clock, 'elapsed'>, journal: Appender, inbox: Pick<Inbox, 'deliver'>) {
    this.#tree = tree;
    this.#clock = clock;
    this.#startedAt = clock.elapsed();
    this.#journal = journal;
    this.#inbox = inbox;
    this.#steps = new StopSteps(tree, () => this.#ageMs);
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
    const receipt: OpenReceipt = { accepted, settled, resolve, nodes: new Set(listedNodes(accepted)) };
    if (this.#open.length === 0) this.#steps.start();
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
    this.#checkSoon();
  }

  /** Resolves when every receipt that is open now has settled. */
  async allSettled(): Promise<void> {
    await Promise.all(this.#open.map(({ settled }) => settled));
  }

  /** Drops all open receipts; their promises never resolve. */
  close(): void {
    this.#tree.unobserve(this);
    this.#steps.stop();
    this.#open = none;
    this.#fold = null;
    this.#closed.resolve(null);
  }

  /** After everything that is reported in this tick. */
  #checkSoon(): void {
    if (this.#check === 'scheduled' || this.#open.length === 0) return;
    this.#check = 'scheduled';
    queueMicrotask(() => {
      this.#check = 'none';
      for (const receipt of this.#open) if (this.#fold) this.#settleIfDone(receipt, this.#fold);
    });
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

  #settleIfDone(receipt: OpenReceipt, fold: ReceiptFold): void {
    const { cancel } = receipt.accepted;
    const folded = fold.get(cancel);
    if (!folded || ![...receipt.nodes].every((id) => fold.endOf(id) && !this.#isLive(id))) return;
    this.#open = this.#open.filter((one) => one !== receipt);
    const fact = fold.settle(folded, this.#ageMs, (since, node) => this.#steps.since(since, node));
    if (this.#open.length === 0) this.#steps.stop();
    fold.forgetReceipt(cancel);
    this.#forgetUnneeded(receipt.nodes);
    void this.#journal.append([fact]).then(() => {
      // before those who wait for the receipt: an acknowledgement finds its lane free
      this.#inbox.deliver({ type: 'STOP_SETTLED', cancel });
      receipt.resolve(fact);
    });
  }
}
