// Stops what has run longer than the speaker has allowed in this browser.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { NodeView, SessionSnapshot } from '../../client/view/snapshot.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { pageClock } from '../page-state/page-clock.ts';
import { subscribeToTimeLimits, type TimeLimits, timeLimits } from '../page-state/time-limits.ts';
import type { StopRequests } from './stop-requests.ts';

const checkMs = 1_000;

/** Stops the speaker's turns and calls that have run too long. A CANCEL is sent once for each. */
export function useTimeLimits(snapshot: SessionSnapshot, speaker: string | null, stops: StopRequests): void {
  const limits = useSyncExternalStore(subscribeToTimeLimits, timeLimits);
  const { serverClock } = useConnection();
  const stopped = useRef(new Set<string>());
  const nodes = useRef(snapshot.nodes); // a change of the nodes does not start the second anew
  nodes.current = snapshot.nodes;
  useEffect(() => {
    if (limits.turn === 0 && limits.call === 0) return;
    return pageClock.every(checkMs, () => {
      for (const node of overdueNodes(nodes.current, limits, speaker, serverClock.now())) {
        if (stopped.current.has(node.id)) continue;
        stopped.current.add(node.id);
        const seconds = node.kind === 'turn' ? limits.turn : limits.call;
        void stops.stop(node.id, { reason: `time limit of this browser: ${seconds} s` });
      }
    });
  }, [limits, speaker, stops, serverClock]);
}

/** Returns the speaker's nodes that have run longer than their limit. The turn of a sub-agent counts with its call. */
export function overdueNodes(
  nodes: readonly NodeView[],
  limits: TimeLimits,
  speaker: string | null,
  now: number,
): readonly NodeView[] {
  return nodes.filter(({ owner, state, startedAt, kind, parent }) => {
    if (owner !== speaker || state !== 'running' || startedAt === null) return false;
    if (kind === 'turn' && parent !== null) return false;
    const seconds = kind === 'turn' ? limits.turn : limits.call;
    return seconds > 0 && now - startedAt > seconds * 1_000;
  });
}
