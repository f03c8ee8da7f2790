// Facts about a settled receipt beside its nodes: how long each had run, and whether it is worth showing.
import { isInOrder, longestMs } from '../../core/receipt/receipt.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { isAcknowledgementTurn, runningMs } from './node-names.ts';
import type { SessionSnapshot } from './snapshot.ts';

/** Whether it is the end of an acknowledgement that nobody has asked for: newer words have come, or its time was over. */
export const isRoutineStop = (
  source: ServerFrameOf<'cancel_accepted'>['source'],
  nodes: readonly string[],
  snapshot: SessionSnapshot,
) => isInOrder(source) && nodes.every((node) => isAcknowledgementTurn(snapshot, node));

/** Returns how long each node had run when it ended, in milliseconds, as far as that is known. A receipt settles at the end of its last node. */
export function runTimes(
  { nodes, at }: ServerFrameOf<'cancel_settled'>,
  snapshot: SessionSnapshot,
): Map<string, number> {
  const acceptedAt = at === undefined ? undefined : at - longestMs(nodes);
  const times = new Map<string, number>();
  for (const { node, ms } of nodes) {
    const ran = runningMs(snapshot, node, acceptedAt === undefined ? undefined : acceptedAt + ms);
    if (ran !== null) times.set(node, Math.max(0, ran));
  }
  return times;
}
