// Stops what has run longer than the speaker has allowed in this browser, in every session that is open in this tab.
import { useEffect } from 'react';
import { msSince } from '../../core/sources/monotonic-time.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { pageClock } from '../page-state/page-clock.ts';
import { timeLimits } from '../page-state/time-limits.ts';
import { stopsOf } from './stop-requests.ts';
import { limitOf, TimeWatch } from './time-watch.ts';

const checkMs = 1_000;

/** Stops the speaker's turns and calls that have run too long, whichever view is shown. A CANCEL is sent once for each. */
export function useTimeLimits(): void {
  const { client, openSessions, gatewayTime } = useConnection();
  useEffect(() => {
    const watch = new TimeWatch(gatewayTime);
    let checkedAt = pageClock.elapsed();
    // also without a limit: one that is set later does not count the waits before it either
    return pageClock.every(checkMs, () => {
      const passedMs = msSince(pageClock, checkedAt);
      checkedAt = pageClock.elapsed();
      const limits = timeLimits();
      for (const opened of openSessions()) {
        const snapshot = opened.view.getSnapshot();
        watch.countWaits(snapshot, passedMs);
        for (const node of watch.findOverdue(snapshot, limits, client.speaker))
          void stopsOf(opened).stop(node.id, { reason: `time limit of this browser: ${limitOf(node, limits)} s` });
      }
    });
  }, [client, openSessions, gatewayTime]);
}
