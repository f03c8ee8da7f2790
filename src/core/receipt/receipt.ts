// A receipt in its two halves: the acceptance of a CANCEL, and what became of the nodes that it lists.
import type { CancelAccepted, CancelSettled, SettledNode } from '../../../machines/facts.ts';
import type { Cause, NodeId } from '../../../machines/vocabulary.ts';

/** `Time`: what the facts have beside their own fields. */
export interface FoldedReceipt<Time = unknown> {
  readonly accepted: CancelAccepted & Time;
  /** Its end; null: it has not settled. */
  readonly settled: (CancelSettled & Time) | null;
}

/** A node of a receipt. */
export interface ReceiptEntry {
  readonly node: NodeId;
  /** A shield delayed its stop. */
  readonly isPending: boolean;
  /** How the node ended; null: the receipt has not settled. */
  readonly end: SettledNode | null;
}

/** Adds the end to a receipt, in any form that it has. The first end counts: a receipt that has one stays the same. */
export const settleReceipt = <End, Receipt extends { readonly settled: End | null }>(
  receipt: Receipt,
  settled: NonNullable<End>,
): Receipt => (receipt.settled === null ? { ...receipt, settled } : receipt);

/** Returns the nodes that a CANCEL stops, in the order of its receipt: those that are stopping, then those that are pending. */
export const listedNodes = ({ stopping, pending }: Pick<CancelAccepted, 'stopping' | 'pending'>): readonly NodeId[] => [
  ...stopping,
  ...pending,
];

/** Returns the nodes of a receipt, each with what became of it. */
export function receiptEntries({ accepted, settled }: FoldedReceipt): readonly ReceiptEntry[] {
  const pending = new Set(accepted.pending);
  const ends = new Map(settled?.nodes.map((end) => [end.node, end]));
  return listedNodes(accepted).map((node) => ({ node, isPending: pending.has(node), end: ends.get(node) ?? null }));
}

/** Returns the cause that an acceptance records. */
export const causeIn = ({ source, by, reason, target }: CancelAccepted): Cause => ({ source, by, reason, target });

/** Returns the time from the acceptance to the last of these outcomes, in milliseconds. */
export const longestMs = (nodes: readonly Pick<SettledNode, 'ms'>[]): number =>
  nodes.reduce((longest, { ms }) => Math.max(longest, ms), 0);
