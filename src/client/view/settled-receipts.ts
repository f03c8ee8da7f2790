// The time that each node of a settled receipt had run.
import { longestMs } from '../../core/receipt/receipt.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { runningMs } from './node-names.ts';
import type { SessionSnapshot } from './snapshot.ts';

/** Returns how long each node had run when it ended, in milliseconds, as far as that is known. A receipt settles at the end of its last node. */
export function runTimes(
  { nodes, at }: ServerFrameOf<'cancel_settled'>,
  snapshot: SessionSnapshot,
): Map<string, number> {
  const acceptedAt = at === undefined ? undefined : at - longestMs(nodes);
  const times = new Map<string, number>();
  for (const { node, ms } of nodes) {
    const ran = runningMs(snapshot, node, acceptedAt === undefined ? undefined : acceptedAt + ms);
    if (ran !== null) times.set(node, ran);
  }
  return times;
}
