// The transcript of a session as a whole, for doors: its export and its deletion.
import type { SequencedFact } from '../../../machines/facts.ts';
import type { Caller } from './caller.ts';

/** Something runs in the session, or another host holds it, or a dead one has left it. It was not deleted. */
export class SessionInUse extends Error {
  override readonly name = 'SessionInUse';
  readonly code = 'session_in_use';
  readonly session: string;

  constructor(session: string) {
    super(
      `The session ${session} is in use: something runs in it, or another host holds it. Stop what runs, and delete it then.`,
    );
    this.session = session;
  }
}

/** Both reject with `AccessDenied` and `TooManyOpens`. `caller` null: the program itself. */
export interface SessionArchive {
  /**
   * Resolves with all facts of a session, in order; null if there is no such session. For whoever may read it. Opens nothing. `readBlob` has the bytes
   * that the facts name.
   */
  exportSession(session: string, caller: Caller | null): Promise<AsyncIterable<SequencedFact> | null>;
  /**
   * Deletes the facts and the blobs of a session for good. For its owner, and for moderators in it. Resolves with false if there is no such session. Rejects
   * with `SessionInUse`. Those who have joined it leave (`deleted`). A session that is opened under the id later is a new one.
   */
  deleteSession(session: string, caller: Caller | null): Promise<boolean>;
}
