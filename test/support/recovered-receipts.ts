// The receipts of a log beside those that recovery would have written in their place.
import type { CancelSettled, RecordedFact } from '../../machines/facts.ts';
import { recover } from '../../src/core/transcript/recover.ts';

export interface ReceiptPair {
  /** As the log has it, without the times of its steps: nobody has seen them who recovers. */
  readonly written: CancelSettled;
  /** As recovery writes it, after a death right before it. Undefined: it writes none. */
  readonly recovered: CancelSettled | undefined;
}

/** Returns a pair for each receipt that has settled. */
export function receiptPairs(log: readonly RecordedFact[]): readonly ReceiptPair[] {
  return log.flatMap((fact, i) => {
    if (fact.type !== 'cancel_settled') return [];
    const { at, nodes, ...rest } = fact;
    const written = { ...rest, nodes: nodes.map(({ times: _, ...node }) => node) };
    const recovered = recover(log.slice(0, i), at).find(
      (one): one is CancelSettled => one.type === 'cancel_settled' && one.cancel === fact.cancel,
    );
    return [{ written, recovered }];
  });
}
