// The sessions that outside agents keep for their next task: one for each agent in each session of the runtime.
//
// A call takes the session out and puts it back at its end: two calls at a time never load the same one, and a session in which a task has failed is not used again.
import { BoundedMap } from '../../core/collections/bounded-map.ts';

/** The limit of kept sessions. The oldest is dropped first: its agent then gets a new one. */
const maxSessions = 1_000;

export class KeptSessions {
  readonly #sessions = new BoundedMap<string, string>(maxSessions);

  /** Removes the kept session of an agent, and returns the agent's id of it; null: there is none, or another call uses it. */
  takeSession(session: string, agent: string): string | null {
    const key = keyOf(session, agent);
    const kept = this.#sessions.get(key) ?? null;
    this.#sessions.delete(key);
    return kept;
  }

  /** Keeps a session for the agent's next task. `kept`: the agent's id of it. */
  keepSession(session: string, agent: string, kept: string): void {
    this.#sessions.set(keyOf(session, agent), kept);
  }

  /** Removes the kept sessions of all agents for a session of the runtime. The agents themselves still store them. */
  forgetSession(session: string): void {
    for (const key of [...this.#sessions.keys()]) if (sessionOf(key) === session) this.#sessions.delete(key);
  }
}

const sessionOf = (key: string): unknown => JSON.parse(key)[0];
const keyOf = (session: string, agent: string): string => JSON.stringify([session, agent]);
