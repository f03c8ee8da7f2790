// The sessions that outside agents keep for their next task: one for each agent in each session of the runtime.
//
// A call takes the session out and puts it back at its end: two calls at a time never load the same one, and a session in which a task has failed is not used again.
import { BoundedMap } from '../collections/bounded-map.ts';

export interface KeptSession {
  /** The agent's own id. */
  readonly id: string;
  /** What it has cost so far, in US dollars, as far as the agent said it. */
  readonly cost: number;
}

/** Sessions that are remembered. The oldest is dropped first: its agent then gets a new one. */
const maxSessions = 1_000;

export class KeptSessions {
  readonly #sessions = new BoundedMap<string, KeptSession>(maxSessions);

  /** Returns the session that the agent has kept, which is not kept any more; null: there is none, or another call uses it. */
  takeSession(session: string, agent: string): KeptSession | null {
    const key = keyOf(session, agent);
    const kept = this.#sessions.get(key) ?? null;
    this.#sessions.delete(key);
    return kept;
  }

  keepSession(session: string, agent: string, kept: KeptSession): void {
    this.#sessions.set(keyOf(session, agent), kept);
  }
}

const keyOf = (session: string, agent: string): string => JSON.stringify([session, agent]);
