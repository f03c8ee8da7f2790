// The sessions that outside agents keep for their next task: one for each agent in each session of the runtime.
//
// A call takes the session out and puts it back at its end: two calls at a time never load the same one, and a session in which a task has failed is not used again.
import { BoundedMap } from '../collections/bounded-map.ts';

/** Sessions that are remembered. The oldest is dropped first: its agent then gets a new one. */
const maxSessions = 1_000;

export class KeptSessions {
  readonly #sessions = new BoundedMap<string, string>(maxSessions);

  /** Returns the agent's id of the session that it has kept, which is not kept any more; null: there is none, or another call uses it. */
  takeSession(session: string, agent: string): string | null {
    const key = keyOf(session, agent);
    const kept = this.#sessions.get(key) ?? null;
    this.#sessions.delete(key);
    return kept;
  }

  keepSession(session: string, agent: string, kept: string): void {
    this.#sessions.set(keyOf(session, agent), kept);
  }

  /** Forgets what all agents have kept for a session of the runtime. They store it all the same. */
  forgetSession(session: string): void {
    for (const key of [...this.#sessions.keys()]) if (sessionOf(key) === session) this.#sessions.delete(key);
  }
}

const sessionOf = (key: string): unknown => JSON.parse(key)[0];
const keyOf = (session: string, agent: string): string => JSON.stringify([session, agent]);
