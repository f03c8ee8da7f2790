// Stops what has run longer than the speaker has allowed in this browser, in every session that is open in this tab.
//
// 1. As at the gateway, the time in which a person is asked does not count, for the call that asks and for everything above it.
import { useEffect, useSyncExternalStore } from 'react';
import type { NodeView, SessionSnapshot } from '../../client/view/snapshot.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { pageClock } from '../page-state/page-clock.ts';
import type { PageConnection } from '../page-state/page-connection.ts';
import { subscribeToTimeLimits, type TimeLimits, timeLimits } from '../page-state/time-limits.ts';
import { stopsOf } from './stop-requests.ts';

const checkMs = 1_000;

/** Stops the speaker's turns and calls that have run too long, whichever view is shown. A CANCEL is sent once for each. */
export function useTimeLimits(): void {
  const connection = useConnection();
  const limits = useSyncExternalStore(subscribeToTimeLimits, timeLimits);
  useEffect(() => {
    if (limits.turn === 0 && limits.call === 0) return;
    const watch = new TimeWatch();
    return pageClock.every(checkMs, () => watch.check(connection, limits));
  }, [connection, limits]);
}

/** What is known about nodes from one check to the next. */
export class TimeWatch {
  readonly #stopped = new Set<string>();
  /** How long a person was asked, by node, in milliseconds. */
  readonly #askedMs = new Map<string, number>();

  /** Stops what is overdue. Called once in `checkMs`. */
  check({ client, openSessions, gatewayTime }: PageConnection, limits: TimeLimits): void {
    for (const opened of openSessions()) {
      const snapshot = opened.view.getSnapshot();
      for (const node of this.overdueNodes(snapshot, limits, client.speaker, gatewayTime.ageMs)) {
        const seconds = node.kind === 'turn' ? limits.turn : limits.call;
        void stopsOf(opened).stop(node.id, { reason: `time limit of this browser: ${seconds} s` });
      }
    }
  }

  /** Returns the speaker's nodes that have run longer than their limit, each once. The turn of a sub-agent counts with its call. */
  overdueNodes(
    { nodes, questions }: Pick<SessionSnapshot, 'nodes' | 'questions'>,
    limits: TimeLimits,
    speaker: string | null,
    ageMs: (at: number) => number,
  ): readonly NodeView[] {
    const asking = nodesAbove(
      nodes,
      questions.map(({ node }) => node),
    );
    for (const id of asking) this.#askedMs.set(id, (this.#askedMs.get(id) ?? 0) + checkMs);
    const overdue = nodes.filter(({ id, owner, state, startedAt, kind, parent }) => {
      if (owner !== speaker || state !== 'running' || startedAt === null) return false;
      if (asking.has(id) || this.#stopped.has(id) || (kind === 'turn' && parent !== null)) return false;
      const seconds = kind === 'turn' ? limits.turn : limits.call;
      return seconds > 0 && ageMs(startedAt) - (this.#askedMs.get(id) ?? 0) > seconds * 1_000;
    });
    for (const { id } of overdue) this.#stopped.add(id);
    return overdue;
  }
}

/** Returns the ids of the nodes and of everything above them. */
function nodesAbove(nodes: readonly NodeView[], ids: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const id of ids) {
    let at: string | null = id;
    while (at !== null && !found.has(at)) {
      const here: string = at;
      found.add(here);
      at = nodes.find((node) => node.id === here)?.parent ?? null;
    }
  }
  return found;
}
