// Deletes sessions of the store, or something in them: closes one that is awake first, and lets nobody open it meanwhile.

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
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(options: SessionDeletionsOptions) {
    this.#options = options;
  }

  /** Resolves when the session is not being deleted any more. Null: it is not. */
  over(session: string): Promise<unknown> | null {
    return this.#underWay.get(session)?.catch(() => {}) ?? null;
  }

  /** Resolves with whether there was such a session. Rejects with `SessionInUse`, or the error of the store. */
  delete(session: string): Promise<boolean> {
    return this.whileClosed(session, 'deleted', async () => {
      const { log, onDeleted } = this.#options;
      if (!log.deleteSession) throw new Error('The log of this runtime has no method deleteSession.');
      const result = await log.deleteSession(session);
      if (result === 'held') throw new SessionInUse(session);
      if (result === 'deleted') onDeleted(session);
      return result === 'deleted';
    });
  }

  /**
   * Works on the log of a session while it is closed, and resolves with the result. Rejects with `SessionInUse` if something happens in the session. `reason`: what those who have joined it
   * receive.
   */
  async whileClosed<T>(session: string, reason: 'deleted' | 'shutdown', work: () => Promise<T>): Promise<T> {
    for (let under = this.over(session); under; under = this.over(session)) await under;
    const result = this.#closeThen(session, reason, work).finally(() => this.#underWay.delete(session));
    this.#underWay.set(session, result);
    return result;
  }

  async #closeThen<T>(session: string, reason: 'deleted' | 'shutdown', work: () => Promise<T>): Promise<T> {
    if ((await this.#options.awake(session)?.closeAtRest(reason)) === false) throw new SessionInUse(session);
    return work();
  }
}
