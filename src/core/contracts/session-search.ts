// The search for sessions in a log: by words, and by the turns that were opened in them.
import type { CauseSource, OutcomeKind, SpeakerId } from '../../../machines/vocabulary.ts';

/** `newest`: by the time of the last event, the newest first. `name`: by the ids. */
export type SessionOrder = 'newest' | 'name';

/** What one root turn of a session must be for the session to be found. Left out: any. */
export interface TurnSearch {
  /** Words that one of its messages, or the title of the session, has, at the beginning of words: as `searchWords` returns them. */
  readonly words?: readonly string[] | undefined;
  readonly speaker?: SpeakerId | undefined;
  /** How it ended; `open`: it has not. */
  readonly outcome?: OutcomeKind | 'open' | undefined;
  /** A tool or an agent that it has called, or one below it. */
  readonly tool?: string | undefined;
  /** The source of a CANCEL that stopped it, or something below it. */
  readonly cause?: CauseSource | undefined;
  /** From when on, and until when, it was opened, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface SessionSearch {
  readonly order: SessionOrder;
  /** What one turn must be; null: every session is found. */
  readonly turn: TurnSearch | null;
  /** Ids of sessions: no other one is found. Null: all. */
  readonly among: readonly string[] | null;
}

/** The place of a session in both orders. */
export interface SessionPlace {
  readonly at: number;
  readonly session: string;
}

/** A session as the log lists it. `at`: the latest time of its events, in milliseconds since 1970; 0: they have none. */
export interface FoundSession extends SessionPlace {
  /** The title that somebody has given it; null: nobody has. */
  readonly title: string | null;
  /** Its last root turn that is no acknowledgement; null: there is none. */
  readonly lastTurn: { readonly outcome: OutcomeKind | 'open' } | null;
}

export interface FoundSessions {
  readonly found: readonly FoundSession[];
  /** The place of the last session that was looked at; null: there is none after it. */
  readonly next: SessionPlace | null;
}

/** The messages with the words of a search that are looked at: the newest ones. */
export const maxMessagesFound = 10_000;
