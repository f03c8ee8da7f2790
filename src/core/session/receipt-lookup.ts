// Finds receipts: among the open ones first, then in memory, then in the log.
import type { CancelCommand } from '../../../machines/cancel.ts';
import type { CancelAccepted, CancelSettled } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { LiveTree } from '../live/tree.ts';
import { readTarget } from '../receipt/cancel-target.ts';
import type { Clock } from '../sources/sources.ts';
import type { Appender } from '../transcript/journal.ts';
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
  readonly journal: Appender;
  readonly clock: Clock;
  /** How long a reply waits for the commit of an acceptance, in milliseconds. */
  readonly acceptWaitMs: number;
}

export class ReceiptLookup {
  readonly #parts: ReceiptLookupParts;

  constructor(parts: ReceiptLookupParts) {
    this.#parts = parts;
  }

  /** Resolves when every node of the receipt has settled; with null if no acceptance has this id. */
  async settled(cancel: string): Promise<CancelSettled | null> {
    const { receipts, index } = this.#parts;
    const open = receipts.find(cancel);
    if (open) return open.settled;
    return index.settledBy(cancel) ?? (await this.#readWholeIndex()).settledBy(cancel) ?? null;
  }

  /** The reply to a CANCEL when no node at or below its target can be planned. `earlier`: what was accepted under its ref before. */
  async replyWithoutPlan(
    { target }: CancelCommand,
    earlier: CancelAccepted | undefined,
    running: readonly NodeId[],
  ): Promise<CancelReply> {
    if (earlier) {
      const durable = await this.#isCommittedInTime();
      return { type: 'cancel_accepted', receipt: earlier, durable, repeated: true, running };
    }
    const { receipts, index, tree } = this.#parts;
    const { reach, named } = readTarget(target);
    const memory = index.knowsNode(named) || index.isWhole ? index : await this.#readWholeIndex();
    const live = tree.get(named);
    const exists = target === 'session' || named === 'mine' || memory.knowsNode(named) || live !== undefined;
    const isNoTurn = reach !== 'node' && live !== undefined && live.kind !== 'turn'; // a call, or words that wait
    if (!exists || isNoTurn) return { type: 'unknown_target', target };
    // the tools of a turn are no node, which one receipt could have settled
    const receipt = reach === 'tools' ? null : (memory.receiptOf(named) ?? (await receipts.endOf(named)));
    return { type: 'already_settled', target, receipt, running };
  }

  /** Resolves with true when every fact so far has committed; with false after `acceptWaitMs`. */
  async #isCommittedInTime(): Promise<boolean> {
    const { journal, clock, acceptWaitMs } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const disarm = clock.after(acceptWaitMs, () => resolve(false));
    void journal.append([]).then(() => resolve(true));
    const isCommitted = await promise;
    disarm();
    return isCommitted;
  }

  /** Reads an index of the whole log: the one in memory forgets old receipts. */
  async #readWholeIndex(): Promise<ReceiptIndex> {
    const index = new ReceiptIndex(Number.POSITIVE_INFINITY);
    for await (const page of readLogPages(this.#parts.log, this.#parts.session)) index.add(page.map(factOf));
    return index;
  }
}
