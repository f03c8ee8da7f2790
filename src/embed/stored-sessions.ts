// The sessions that a log holds, for an embedder: lists, exports and deletes them. It opens none of them.
import type { SequencedFact } from '../../machines/facts.ts';
import type { KeptSessions } from '../acp/kept-sessions.ts';
import { factOf, readLogPages } from '../session/read-log.ts';
import type { Log } from '../transcript/log.ts';

/** The session is awake here, or another host holds it, or a dead one has left it. It was not deleted. */
export class SessionInUse extends Error {
  override readonly name = 'SessionInUse';
  readonly code = 'session_in_use';
  readonly session: string;

  constructor(session: string) {
    super(
      `The session ${session} is in use. It can be deleted when it sleeps: nothing has happened in it for limits.idleMs, or its host has been closed.`,
    );
    this.session = session;
  }
}

export interface ListOptions {
  /** The last id of the page before. Left out: from the first one on. */
  readonly after?: string | undefined;
  /** Default: 1 000. */
  readonly limit?: number | undefined;
}

const defaultLimit = 1_000;

export class StoredSessions {
  readonly #log: Log;
  readonly #agentSessions: KeptSessions;

  constructor(log: Log, agentSessions: KeptSessions) {
    this.#log = log;
    this.#agentSessions = agentSessions;
  }

  /** Resolves with the ids of sessions that have facts, in the order of their ids. Rejects with `StoreFailed`. */
  list({ after, limit = defaultLimit }: ListOptions = {}): Promise<readonly string[]> {
    if (!this.#log.listSessions) return Promise.reject(unsupported('listSessions'));
    return this.#log.listSessions(after ?? null, limit);
  }

  /** Yields all facts of a session, in order; none if there is no such session. `readBlob` of the runtime has the bytes that they name. */
  async *export(session: string): AsyncGenerator<SequencedFact, void, void> {
    for await (const page of readLogPages(this.#log, session)) yield* page.map(factOf);
  }

  /**
   * Deletes the facts and the blobs of a session for good. Resolves with false if there is no such session. Rejects with `SessionInUse` if it is
   * awake or held by another host, and with `StoreFailed`. A session that is opened under the id later is a new one.
   */
  async delete(session: string): Promise<boolean> {
    if (!this.#log.deleteSession) throw unsupported('deleteSession');
    const result = await this.#log.deleteSession(session);
    if (result === 'held') throw new SessionInUse(session);
    this.#agentSessions.forgetSession(session); // a new session under the id must not go on in theirs
    return result === 'deleted';
  }
}

const unsupported = (method: keyof Log): Error => new Error(`The log of this runtime has no method ${method}.`);
