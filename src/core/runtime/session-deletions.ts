// Deletes sessions of the store: closes one that is awake first, and lets nobody open it meanwhile.

import type { Log } from '../contracts/log.ts';
import type { Session } from '../session/session.ts';
import { SessionInUse } from '../session/session-archive.ts';

export interface SessionDeletionsOptions {
  readonly log: Log;
  /** Returns the session if it is awake here. */
  readonly awake: (session: string) => Session | undefined;
  /** Called for each session that was deleted. */
  readonly onDeleted: (session: string) => void;
}

export class SessionDeletions {
  readonly #options: SessionDeletionsOptions;
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(options: SessionDeletionsOptions) {
    this.#options = options;
  }

  /** Resolves when the session is not being deleted any more. Null: it is not. */
  over(session: string): Promise<unknown> | null {
    return this.#underWay.get(session)?.catch(() => {}) ?? null;
  }

  /** Resolves with whether there was such a session. Rejects with `SessionInUse`, or the error of the store. */
  async delete(session: string): Promise<boolean> {
    await this.over(session);
    const deletion = this.#delete(session).finally(() => this.#underWay.delete(session));
    this.#underWay.set(session, deletion);
    return deletion;
  }

  async #delete(session: string): Promise<boolean> {
    const { log, awake, onDeleted } = this.#options;
    if (!log.deleteSession) throw new Error('The log of this runtime has no method deleteSession.');
    if ((await awake(session)?.closeForDeletion()) === false) throw new SessionInUse(session);
    const result = await log.deleteSession(session);
    if (result === 'held') throw new SessionInUse(session);
    if (result === 'deleted') onDeleted(session);
    return result === 'deleted';
  }
}
