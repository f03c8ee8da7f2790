// Finds what has worked longer than its speaker allows.
//
// 1. As at the gateway, the time in which a person is asked or another call is waited for does not count, for the call and for everything above it.
import type { NodeView, SessionSnapshot } from '../../client/view/snapshot.ts';
import type { TimeLimits } from '../page-state/time-limits.ts';

/** The times of nodes by the clock of their gateway, as `GatewayTime` has them. */
interface NodeTimes {
  workedMs(node: string): number | null;
  addWait(node: string, ms: number): void;
}

export class TimeWatch {
  readonly #times: NodeTimes;
  readonly #found = new Set<string>();

  constructor(times: NodeTimes) {
    this.#times = times;
  }

  /** Counts a wait of `ms` milliseconds for what waits now. */
  countWaits(snapshot: WatchedSnapshot, ms: number): void {
    for (const id of waitingNodes(snapshot)) this.#times.addWait(id, ms);
  }

  /** Returns the speaker's nodes that have worked longer than their limit, each once. The turn of a sub-agent counts with its call. */
  findOverdue(snapshot: WatchedSnapshot, limits: TimeLimits, speaker: string | null): readonly NodeView[] {
    const waiting = waitingNodes(snapshot);
    const overdue = snapshot.nodes.filter((node) => {
      const { id, owner, state, kind, parent } = node;
      if (owner !== speaker || state !== 'running' || this.#found.has(id)) return false;
      if (waiting.has(id) || (kind === 'turn' && parent !== null)) return false;
      const seconds = limitOf(node, limits);
      return seconds > 0 && (this.#times.workedMs(id) ?? 0) > seconds * 1_000;
    });
    for (const { id } of overdue) this.#found.add(id);
    return overdue;
  }
}

type WatchedSnapshot = Pick<SessionSnapshot, 'nodes' | 'questions'>;

/** Returns the limit of a node, in seconds; 0: none. */
export const limitOf = ({ kind }: NodeView, limits: TimeLimits): number =>
  kind === 'turn' ? limits.turn : limits.call;

/** Returns the ids of the nodes that ask or wait for another call, and of everything above them. */
function waitingNodes({ nodes, questions }: WatchedSnapshot): ReadonlySet<string> {
  const asking = questions.map(({ node }) => node);
  const queued = nodes.flatMap(({ id, waitsFor }) => (waitsFor ? [id] : []));
  return nodesAbove(nodes, [...asking, ...queued]);
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
