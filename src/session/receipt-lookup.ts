// Looks receipts up: the open ones first, then those in memory, then those in the log.
import type { CancelCommand } from '../../machines/cancel.ts';
import type { CancelSettled } from '../../machines/facts.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Log } from '../transcript/log.ts';
import type { CancelReply } from './api.ts';
import { factOf, readLogPages } from './read-log.ts';
import { ReceiptIndex } from './receipt-index.ts';
import type { Receipts } from './receipts.ts';

export interface ReceiptLookupParts {
  readonly session: string;
  readonly log: Log;
  readonly tree: LiveTree;
  readonly receipts: Receipts;
  readonly index: ReceiptIndex;
}

export class ReceiptLookup {
  readonly #parts: ReceiptLookupParts;

  constructor(parts: ReceiptLookupParts) {
    this.#parts = parts;
  }

  /** Resolves when every node of the receipt has settled; with null where no acceptance has this id. */
  async settled(cancel: string): Promise<CancelSettled | null> {
    const { receipts, index } = this.#parts;
    const open = receipts.find(cancel);
    if (open) return open.settled;
    return index.settledBy(cancel) ?? (await this.#readWholeIndex()).settledBy(cancel) ?? null;
  }

  /** The reply to a CANCEL when no node at or below its target can be planned. */
  async replyWithoutPlan({ target, ref, by }: CancelCommand): Promise<CancelReply> {
    const { receipts, index, tree } = this.#parts;
    const speaker = by?.id ?? null;
    const isKnown = index.knowsNode(target) || (ref !== null && index.acceptedUnder(speaker, ref) !== undefined);
    const memory = isKnown || index.isWhole ? index : await this.#readWholeIndex();
    const recorded = ref === null ? undefined : memory.acceptedUnder(speaker, ref);
    if (recorded && (memory.settledBy(recorded.cancel) || receipts.find(recorded.cancel)))
      return { type: 'cancel_accepted', receipt: recorded, durable: true, repeated: true };
    const exists =
      target === 'session' || target === 'mine' || memory.knowsNode(target) || tree.get(target) !== undefined;
    return exists
      ? { type: 'already_settled', target, receipt: memory.receiptOf(target) }
      : { type: 'unknown_target', target };
  }

  /** Reads an index of the whole log: the one in memory forgets old receipts. */
  async #readWholeIndex(): Promise<ReceiptIndex> {
    const index = new ReceiptIndex(Number.POSITIVE_INFINITY);
    for await (const page of readLogPages(this.#parts.log, this.#parts.session)) index.add(page.map(factOf));
    return index;
  }
}
