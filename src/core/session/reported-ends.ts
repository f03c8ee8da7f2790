// The nodes whose end was reported to observers when their session was demolished: the facts that close them later report no second one.
import type { NodeId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';

/** Demolished sessions that are remembered until they are opened again. */
const maxSessions = 1_000;

export class ReportedEnds {
  readonly #bySession = new BoundedMap<string, ReadonlySet<NodeId>>(maxSessions);

  keep(session: string, nodes: ReadonlySet<NodeId>): void {
    if (nodes.size > 0) this.#bySession.set(session, nodes);
  }

  /** Returns the nodes of a session that is opened, and forgets them. */
  release(session: string): ReadonlySet<NodeId> {
    const nodes = this.#bySession.get(session) ?? new Set();
    this.#bySession.delete(session);
    return nodes;
  }
}
