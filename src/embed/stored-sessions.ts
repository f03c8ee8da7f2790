// The sessions that a log holds, for an embedder: lists, exports, forks and deletes them. It opens none of them.
import type { SequencedFact } from '../../machines/facts.ts';
import type { QuoteRule, Remains } from '../../machines/vocabulary.ts';
import type { Log } from '../core/contracts/log.ts';
import type { ForkReply, ForkRequest, SessionArchive, SpeakerDeletionReport } from '../core/session/session-archive.ts';

export interface ListOptions {
  /** The last id of the page before. Left out: from the first one on. */
  readonly after?: string | undefined;
  /** The number of sessions to return. Default: 1 000. */
  readonly limit?: number | undefined;
}

const defaultLimit = 1_000;

export class StoredSessions {
  readonly #log: Log;
  readonly #archive: SessionArchive;

  constructor(log: Log, archive: SessionArchive) {
    this.#log = log;
    this.#archive = archive;
  }

  /** Resolves with the ids of sessions that have facts, in the order of their ids. Rejects with `StoreFailed`. */
  list({ after, limit = defaultLimit }: ListOptions = {}): Promise<readonly string[]> {
    if (!this.#log.listSessions) return Promise.reject(unsupported('listSessions'));
    return this.#log.listSessions(after ?? null, limit);
  }

  /** Yields all facts of a session, in order; none if there is no such session. `readBlob` of the runtime returns the bytes that they name. */
  async *export(session: string): AsyncGenerator<SequencedFact, void, void> {
    yield* (await this.#archive.exportSession(session, null)) ?? [];
  }

  /**
   * Makes a session that goes on from the end of a turn of another one; nobody owns it. Resolves with a refusal if the turn is not there or has not settled. A session
   * of a speaker forks by its own `fork`. Rejects with code `access_denied` if there is no such session.
   */
  fork(session: string, request: ForkRequest): Promise<ForkReply> {
    return this.#archive.forkSession(session, null, request);
  }

  /**
   * Deletes the facts and the blobs of a session for good. Resolves with false if there is no such session. Rejects with `SessionInUse` if something runs
   * in it or another host holds it, and with `StoreFailed`. Every connection that has joined it leaves it. A session that is opened later with this id
   * is a new one. Its words leave the files of the store, too: at once, or as soon as no reader is open and a large store is not in use (`purge`).
   */
  async delete(session: string): Promise<boolean> {
    const isDeleted = await this.#archive.deleteSession(session, null);
    if (isDeleted) await this.purge();
    return isDeleted;
  }

  /**
   * Deletes a speaker: the sessions that they own, and in all others what they have said, with their name, which becomes a pseudonym. What they have running is cancelled first.
   * `quotes`: what becomes of the words of models that may quote them; the report names each.
   */
  async deleteSpeaker(speaker: string, quotes: QuoteRule = 'own'): Promise<SpeakerDeletionReport> {
    return (await this.#archive.deletions()).deleteSpeaker(speaker, null, quotes);
  }

  /** Removes from the files of the store what was deleted, and resolves with what may remain there. It is repeated until nothing does. */
  async purge(): Promise<Remains> {
    return (await this.#archive.deletions()).purge();
  }
}

const unsupported = (method: keyof Log): Error => new Error(`The log of this runtime has no method ${method}.`);
