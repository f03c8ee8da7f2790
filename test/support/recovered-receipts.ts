// Pairs each receipt of a log with the one that recovery would have written in its place.
import type { CancelSettled, RecordedFact } from '../../machines/facts.ts';
import { recover } from '../../src/core/transcript/recover.ts';

export interface ReceiptPair {
  /** The end of the receipt in the log, without the times of its steps: recovery does not know them. */
  readonly written: CancelSettled;
  /** The end that recovery writes if the process dies right before it is appended; undefined: recovery writes none. */
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
