// The log of a session: append-only events with sequence numbers, kept safe by a compare-and-set on epoch and sequence.

export interface LoggedEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly epoch: number;
  /** One JSON value with a `type`. */
  readonly body: LogBody;
}

export interface LogBody {
  readonly type: string;
}

export interface LogHead {
  /** 0: no host has ever claimed the session. */
  readonly epoch: number;
  /** The sequence number of the last event; 0: none. */
  readonly last: number;
  /** The name of the host that holds the session; null after a release. */
  readonly holder: string | null;
}

/** Another host has claimed the session, or its log does not end where the caller expects. Nothing was written. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** The store failed (disk full, file gone). Nothing was written, or the reply was lost: read the head before a repetition. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
}

export interface Log {
  /** True: all of it is lost with the process, so no later start can recover its sessions. */
  readonly isVolatile?: boolean;
  head(session: string): Promise<LogHead>;
  /** Claims the session for a host; resolves with the new epoch, `expectedEpoch` + 1. Rejects with `Fenced` if the epoch is another one. */
  claim(session: string, expectedEpoch: number, holder: string): Promise<number>;
  /** Releases the session after an orderly close. Rejects with `Fenced`. */
  release(session: string, epoch: number): Promise<void>;
  /** Resolves with the sessions that any host holds: after a start, those that a dead process has left. */
  held(): Promise<readonly string[]>;
  /** Appends all bodies or none; they are durable when it resolves with the sequence number of the last one. Rejects with `Fenced` or `StoreFailed`. */
  append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number>;
  /** Resolves with the events above `afterSeq`, in order, at most `limit` of them. */
  read(session: string, afterSeq: number, limit?: number): Promise<readonly LoggedEvent[]>;
  /** Resolves with the first event that records the command of a speaker under this ref (src/transcript/command-key.ts); null: there is none. */
  findCommand(session: string, speaker: string, ref: string): Promise<LoggedEvent | null>;
  /** Resolves when the log is closed; later requests reject with `StoreFailed`. */
  close(): Promise<void>;
}
