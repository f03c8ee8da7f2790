// Receipts of cancels: what each will stop, and what became of it.
import { settleReceipt } from '../../core/receipt/receipt.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import type { AcknowledgedView, ReceiptView, SessionSnapshot } from './snapshot.ts';

type Receipts = readonly ReceiptView[];

/** Adds a receipt, and drops the oldest past the limit. One that is known returns the same list: an acceptance may come twice. */
export function acceptReceipt(receipts: Receipts, frame: ServerFrameOf<'cancel_accepted'>, limit: number): Receipts {
  if (receipts.some(({ cancel }) => cancel === frame.cancel)) return receipts;
  const { cancel, ref, source, by, reason, target, force, stopping, pending, refused, detached, queue = [] } = frame;
  const receipt: ReceiptView = {
    seq: frame.seq ?? null,
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

/** Adds a CANCEL that was refused as a whole, and drops the oldest past the limit. */
export function addRefusal(
  { refusals, receipts }: Pick<SessionSnapshot, 'refusals' | 'receipts'>,
  { source, by, target, refused, words }: ServerFrameOf<'cancel_refused'>,
  limit: number,
): SessionSnapshot['refusals'] {
  const after = receipts.at(-1)?.cancel ?? null;
  return [...refusals, { source, by, target, refused, words: words ?? null, after }].slice(-limit);
}

/** Adds what became of the nodes to their receipt. */
export function foldCancelSettled(receipts: Receipts, { cancel, nodes }: ServerFrameOf<'cancel_settled'>): Receipts {
  return changeReceipt(receipts, cancel, (receipt) => settleReceipt(receipt, nodes));
}

const signs = { acknowledged: 'text', reaction: 'reaction', earcon: 'earcon' } as const;

/** Adds to their receipt how a stop was acknowledged. */
export function acknowledgeReceipt(
  receipts: Receipts,
  frame: ServerFrameOf<'acknowledged' | 'reaction' | 'earcon'>,
): Receipts {
  const emoji = frame.type === 'reaction' ? frame.emoji : null;
  const acknowledged: AcknowledgedView = { how: signs[frame.type], emoji, ms: frame.ms };
  return changeReceipt(receipts, frame.cancel, (receipt) => ({ ...receipt, acknowledged }));
}

/** Changes a receipt; the same list if it does not hold it, or it stays as it is. */
function changeReceipt(receipts: Receipts, id: string, change: (receipt: ReceiptView) => ReceiptView): Receipts {
  const at = receipts.findIndex(({ cancel }) => cancel === id);
  const receipt = receipts[at];
  if (!receipt) return receipts;
  const changed = change(receipt);
  return changed === receipt ? receipts : receipts.with(at, changed);
}
