// The end of a node that a CANCEL has stopped, and that no fact names: it had not started, because a start is the first fact of a node.
import { outcomeOf } from '../../../machines/cancel.ts';
import type { CancelAccepted } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { readTarget } from './cancel-target.ts';
import { causeIn, type FoldedReceipt, listedNodes } from './receipt.ts';

/** Returns its end as the first of the receipts that list it says, the first one being that of the first CANCEL: later ones change no cause. */
export function unnamedEnd(node: NodeId, listedBy: CancelAccepted, receipts: Iterable<FoldedReceipt>) {
  const all = [...receipts].map(({ accepted }) => accepted);
  const first = all.find((accepted) => listedNodes(accepted).includes(node)) ?? listedBy;
  const kind = readTarget(first.target).reach === 'tools' ? 'tool-call' : 'turn';
  return { node, kind, outcome: outcomeOf(causeIn(first)), effect: 'not_started', at: null } as const;
}
