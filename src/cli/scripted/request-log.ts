// What the scripted endpoint saw: each request and how its response ended, for tests that assert the server's view.
import type { WireMessage } from './reply.ts';

/** `finished`: sent to its end. `closed_by_client`: the client closed the connection before that. `cut`: the script did. */
export type ResponseEnd = 'finished' | 'closed_by_client' | 'cut';

export interface JournalEntry {
  /** From 0, in order of arrival. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly model: string | null;
  readonly messages: readonly WireMessage[];
  /** Names of the tools that the request declared. */
  readonly tools: readonly string[];
  /** The rule of the script that answered; null: none, or no script. */
  rule: number | null;
  status: number | null;
  /** Bytes of the answer's body that were handed to the socket. */
  sentBytes: number;
  /** The answer hangs: what comes before has been handed to the socket. */
  hanging: boolean;
  /** Null while the response is open. */
  ended: { readonly at: number; readonly how: ResponseEnd } | null;
}

/** Requests that are kept for tests; the oldest go first. */
export const maxJournalEntries = 1_000;

export interface Journal {
  arrived(request: Pick<JournalEntry, 'at' | 'model' | 'messages' | 'tools'>): JournalEntry;
  readonly entries: readonly JournalEntry[];
}

/** Keeps the last `kept` requests. */
export function createJournal(kept: number): Journal {
  const entries: JournalEntry[] = [];
  let count = 0;
  return {
    arrived(request) {
      const entry: JournalEntry = {
        n: count++,
        ...request,
        rule: null,
        status: null,
        sentBytes: 0,
        hanging: false,
        ended: null,
      };
      entries.push(entry);
      if (entries.length > kept) entries.shift();
      return entry;
    },
    entries,
  };
}
