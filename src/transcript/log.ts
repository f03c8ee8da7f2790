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
  /** 0: nobody has ever claimed the session. */
  readonly epoch: number;
  /** The sequence number of the last event; 0: none. */
  readonly last: number;
  /** The host that holds the session, as it called itself; null after a release. */
  readonly holder: string | null;
}

/** Another host has claimed the session, or the sequence is not where the caller thought. Nothing was written. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** The store did not write (disk full, file gone). Nothing was written, or its answer was lost: read before you repeat. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
}

export interface Log {
  head(session: string): Promise<LogHead>;
  /** Takes the session: the epoch after `expectedEpoch`. Throws `Fenced` when the epoch is another by now. */
  claim(session: string, expectedEpoch: number, holder: string): Promise<number>;
  /** Gives the session back after a clean end. Throws `Fenced`. */
  release(session: string, epoch: number): Promise<void>;
  /** Sessions that are held, by whomever. After a start: what a dead process has left behind. */
  held(): Promise<readonly string[]>;
  /** All or nothing, durable when it resolves: the sequence number of the last event. Throws `Fenced` or `StoreFailed`. */
  append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number>;
  /** Events with a sequence number above `afterSeq`, in order, at most `limit` of them. */
  read(session: string, afterSeq: number, limit?: number): Promise<readonly LoggedEvent[]>;
  close(): Promise<void>;
}
