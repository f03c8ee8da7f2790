// A receipt in its two halves: the acceptance of a CANCEL, and the ends of the nodes that it lists. This file alone reads the end of a node
// from its fact: for receipts, recovery, observers, reports and views.
import type { CancelAccepted, CancelSettled, Fact, SettledNode, ToolResult } from '../../../machines/facts.ts';
import { type Cause, type NodeId, stopDetails } from '../../../machines/vocabulary.ts';
import { dropUndefined, namesOf } from '../collections/fields.ts';

/** `Time`: the fields that record the time of a fact, where the reader has them. */
export interface FoldedReceipt<Time = unknown> {
  readonly accepted: CancelAccepted & Time;
  /** The second half; null: the receipt has not settled. */
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

/** Returns the receipt with its second half. A receipt that has settled stays as it is. */
export const settleReceipt = <End, Receipt extends { readonly settled: End | null }>(
  receipt: Receipt,
  settled: NonNullable<End>,
): Receipt => (receipt.settled === null ? { ...receipt, settled } : receipt);

/** Returns the nodes that a CANCEL stops, in the order of its receipt: those that are stopping, then those that are pending. */
export const listedNodes = ({ stopping, pending }: Pick<CancelAccepted, 'stopping' | 'pending'>): readonly NodeId[] => [
  ...stopping,
  ...pending,
];

/** Returns the nodes of a receipt, each with its end. */
export function receiptEntries({ accepted, settled }: FoldedReceipt): readonly ReceiptEntry[] {
  const pending = new Set(accepted.pending);
  const ends = new Map(settled?.nodes.map((end) => [end.node, end]));
  return listedNodes(accepted).map((node) => ({ node, isPending: pending.has(node), end: ends.get(node) ?? null }));
}

/** Returns the cause that an acceptance records. */
export const causeIn = ({ source, by, reason, target, door }: CancelAccepted): Cause =>
  dropUndefined({ source, by, reason, target, door });

/** Returns the time from the acceptance to the last of these outcomes, in milliseconds. */
export const longestMs = (nodes: readonly Pick<SettledNode, 'ms'>[]): number =>
  nodes.reduce((longest, { ms }) => Math.max(longest, ms), 0);

/** A fact of the log, or one that is not appended yet and has no time. */
export type DatedFact = Fact & { readonly at?: number };

/** The end of a node as its fact records it: its entry in a receipt, without the fields that other facts have. */
export interface RecordedEnd extends Omit<SettledNode, 'kind' | 'ms' | 'times'> {
  /** In milliseconds since 1970; null: the fact is not appended yet. */
  readonly at: number | null;
}

type EndField = Exclude<keyof RecordedEnd, 'node' | 'at'>;

/** The fields of an end, which its fact has under the same names. A new field of `SettledNode` does not compile until it is read here. */
const endFieldTable: Readonly<Record<EndField, unknown>> = { outcome: true, effect: true, code: true, ...stopDetails };
export const endFields = namesOf(endFieldTable);

/** Returns the end that a fact records; null: it records none. `continues` is no end: the call runs on. */
export function readEnd(fact: DatedFact): RecordedEnd | null {
  const { at = null } = fact;
  switch (fact.type) {
    case 'turn_ended':
    case 'tool_result':
    case 'late_result': {
      if (fact.outcome === 'continues') return null;
      const ended: Pick<ToolResult, EndField> = fact; // a `tool_result` can have all of them
      const fields = endFields.map((name) => [name, ended[name]] as const);
      // the type of Object.fromEntries() does not keep the names of the keys
      const end = dropUndefined(Object.fromEntries(fields)) as Pick<RecordedEnd, EndField>;
      return { node: fact.type === 'turn_ended' ? fact.turn : fact.node, ...end, at };
    }
    case 'input_settled':
      return fact.fate === 'cancelled' ? { node: fact.input, outcome: 'cancelled', effect: 'not_started', at } : null;
    case 'speech_ended': {
      const { speech: node, outcome, effect, code } = fact;
      return { node, outcome, effect, ...dropUndefined({ code }), at };
    }
    default:
      return null;
  }
}
