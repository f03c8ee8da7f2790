// Receipts of cancels: what each will stop, and what became of it.
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import type { AcknowledgedView, ReceiptView } from './snapshot.ts';

type Receipts = readonly ReceiptView[];

/** Adds a receipt, and drops the oldest past the limit. One that is known returns the same list: an acceptance may come twice. */
export function acceptReceipt(receipts: Receipts, frame: ServerFrameOf<'cancel_accepted'>, limit: number): Receipts {
  if (receipts.some(({ cancel }) => cancel === frame.cancel)) return receipts;
  const { cancel, ref, source, by, reason, target, force, stopping, pending, refused, detached, queue = [] } = frame;
  const receipt: ReceiptView = {
    cancel,
    ref,
    source,
    by,
    reason,
    target,
    force,
    stopping,
    pending,
    refused,
    detached,
    queue,
    settled: null,
    acknowledged: null,
  };
  return [...receipts, receipt].slice(-limit);
}

/** Adds what became of the nodes to their receipt. */
export function foldCancelSettled(receipts: Receipts, frame: ServerFrameOf<'cancel_settled'>): Receipts {
  const at = receipts.findIndex(({ cancel }) => cancel === frame.cancel);
  const receipt = receipts[at];
  return receipt ? receipts.with(at, { ...receipt, settled: frame.nodes }) : receipts;
}

const signs = { acknowledged: 'text', reaction: 'reaction', earcon: 'earcon' } as const;

/** Adds to their receipt how a stop was acknowledged. */
export function acknowledgeReceipt(
  receipts: Receipts,
  frame: ServerFrameOf<'acknowledged' | 'reaction' | 'earcon'>,
): Receipts {
  const at = receipts.findIndex(({ cancel }) => cancel === frame.cancel);
  const receipt = receipts[at];
  if (!receipt) return receipts;
  const emoji = frame.type === 'reaction' ? frame.emoji : null;
  const acknowledged: AcknowledgedView = { how: signs[frame.type], emoji, ms: frame.ms };
  return receipts.with(at, { ...receipt, acknowledged });
}
