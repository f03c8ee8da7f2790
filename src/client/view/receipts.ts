// Receipts of cancels: what each will stop, and what became of it.
import type { ServerFrameOf } from '../../protocol/server-frames.ts';
import type { ReceiptView } from './snapshot.ts';

type Receipts = readonly ReceiptView[];

/** Adds a receipt, and drops the oldest past the limit. One that is known returns the same list: an acceptance may come twice. */
export function acceptReceipt(receipts: Receipts, frame: ServerFrameOf<'cancel_accepted'>, limit: number): Receipts {
  if (receipts.some(({ cancel }) => cancel === frame.cancel)) return receipts;
  const { cancel, ref, source, by, reason, target, force, stopping, pending, refused, detached } = frame;
  const receipt: ReceiptView = {
    ...{ cancel, ref, source, by, reason, target, force, stopping, pending, refused, detached },
    settled: null,
  };
  return [...receipts, receipt].slice(-limit);
}

/** Adds what became of the nodes to their receipt. */
export function settleReceipt(receipts: Receipts, frame: ServerFrameOf<'cancel_settled'>): Receipts {
  const at = receipts.findIndex(({ cancel }) => cancel === frame.cancel);
  const receipt = receipts[at];
  return receipt ? receipts.with(at, { ...receipt, settled: frame.nodes }) : receipts;
}
