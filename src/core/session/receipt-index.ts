// Finds past nodes and receipts by id. Bounded: older ones are looked up in the log.
import type { CancelSettled, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import { type FactHandlers, type Projection, passFact } from '../transcript/journal.ts';

/** The limit of ids, and of receipts, that are kept in memory for a session. */
const defaultCapacity = 500;

export class ReceiptIndex implements Projection {
  static readonly #handlers: FactHandlers<ReceiptIndex> = {
    turn_opened({ turn }) {
      this.#addNode(turn);
    },
    turn_started({ turn }) {
      this.#addNode(turn);
    },
    tool_call({ node }) {
      this.#addNode(node);
    },
    input_deferred({ input }) {
      this.#addNode(input);
    },
  };
  /** Nobody receives a receipt before its commit. */
  static readonly #committedHandlers: FactHandlers<ReceiptIndex> = {
    cancel_settled(receipt) {
      this.#settled ??= new BoundedMap(this.#capacity);
      if (this.#settled.has(receipt.cancel)) return; // the first end of a receipt counts
      this.#settled.set(receipt.cancel, receipt);
      this.#nodes ??= new BoundedMap(this.#capacity);
      for (const { node } of receipt.nodes) if (!this.#nodes.get(node)) this.#nodes.set(node, receipt);
    },
  };
  readonly appended = ReceiptIndex.#handlers;
  readonly committed = ReceiptIndex.#committedHandlers;
  readonly #capacity: number;
  /** Each node that there was, with the receipt that settled it. Made with the first fact that names one, like the others. */
  #nodes: BoundedMap<NodeId, CancelSettled | null> | null = null;
  #settled: BoundedMap<string, CancelSettled> | null = null;

  constructor(capacity = defaultCapacity) {
    this.#capacity = capacity;
  }

  /** Adds the facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const handlers of [this.appended, this.committed]) for (const event of events) passFact(this, handlers, event);
  }

  /** Whether nothing has been dropped: an id that it does not know never existed. */
  get isWhole(): boolean {
    return ![this.#nodes, this.#settled].some((map) => map && map.dropped > 0);
  }

  knowsNode(id: NodeId): boolean {
    return this.#nodes?.has(id) ?? false;
  }

  /** The receipt that settled a node; null: no cancel did. */
  receiptOf(node: NodeId): CancelSettled | null {
    return this.#nodes?.get(node) ?? null;
  }

  /** `cancel`: the id of the receipt. */
  settledBy(cancel: string): CancelSettled | undefined {
    return this.#settled?.get(cancel);
  }

  #addNode(id: NodeId): void {
    this.#nodes ??= new BoundedMap(this.#capacity);
    if (!this.#nodes.has(id)) this.#nodes.set(id, null);
  }
}
