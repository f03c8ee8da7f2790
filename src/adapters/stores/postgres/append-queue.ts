// Appends that come while others are being committed are committed together: one statement for all sessions, each with its own compare-and-set.
import type { Pool } from 'pg';
import { Fenced, StoreWentBack } from '../../../core/contracts/log.ts';
import { columnValues, eventsFrom, type WrittenEvent } from './event-rows.ts';
import { isStatementError } from './failures.ts';

export interface Append {
  readonly session: string;
  readonly epoch: number;
  readonly expectedSeq: number;
  /** Those after `expectedSeq`. */
  readonly events: readonly WrittenEvent[];
}

interface Waiting extends Append {
  resolve(last: number): void;
  reject(error: unknown): void;
}

/**
 * Sessions are locked in their order: two hosts that write the same ones, of which one is fenced, do not wait for each other. What is not at the expected epoch and sequence number
 * is missing from the reply.
 */
const append = `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS given(session, epoch, expected, count)
  ), locked AS (
    SELECT sessions.session, given.expected, given.count FROM sessions JOIN given USING (session)
    WHERE sessions.epoch = given.epoch AND sessions.last = given.expected ORDER BY sessions.session FOR UPDATE OF sessions
  ), advanced AS (
    UPDATE sessions SET last = locked.expected + locked.count FROM locked WHERE sessions.session = locked.session
    RETURNING sessions.session, sessions.epoch
  ), written AS (
    INSERT INTO events(session, seq, epoch, type, speaker, ref, body)
    SELECT event.session, event.seq, advanced.epoch, event.type, event.speaker, event.ref, event.body
    FROM ${eventsFrom(5)} JOIN advanced USING (session)
  )
  SELECT session FROM advanced`;

export class AppendQueue {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];
  #state: 'idle' | 'committing' = 'idle';

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Resolves with the sequence number of the last event. Rejects with `Fenced`, or with the error of the server. */
  add(append: Append): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ ...append, resolve, reject });
    if (this.#state === 'idle') void this.#commitAll();
    return promise;
  }

  async #commitAll(): Promise<void> {
    this.#state = 'committing';
    while (this.#waiting.length > 0) await this.#commit(this.#takeBatch());
    this.#state = 'idle';
  }

  /** Takes one append of each session: the next one of a session expects what the one before has written. */
  #takeBatch(): readonly Waiting[] {
    const batch = new Map<string, Waiting>();
    const later: Waiting[] = [];
    for (const each of this.#waiting) {
      if (batch.has(each.session)) later.push(each);
      else batch.set(each.session, each);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.#write(batch);
      for (const { session, epoch, expectedSeq, events, resolve, reject } of batch) {
        if (written.has(session)) resolve(expectedSeq + events.length);
        else reject(await this.#refusalOf({ session, epoch, expectedSeq }));
      }
    } catch (error) {
      // one that the server cannot write must not take the others with it
      if (batch.length > 1 && isStatementError(error)) for (const each of batch) await this.#commit([each]);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Returns why an append was not written: this host has lost the session, or the database has lost what it had confirmed to it. */
  async #refusalOf({ session, epoch, expectedSeq }: Omit<Append, 'events'>): Promise<Error> {
    const { rows } = await this.#pool.query<{ readonly epoch: number; readonly last: number }>(
      'SELECT epoch::float8 AS epoch, last::float8 AS last FROM sessions WHERE session = $1',
      [session],
    );
    const head = rows[0] ?? { epoch: 0, last: 0 };
    if (head.epoch < epoch || (head.epoch === epoch && head.last < expectedSeq))
      return new StoreWentBack(
        `The database is older than what it has confirmed: ${session} ends in epoch ${head.epoch} at ${head.last} there, and was in ${epoch} at ${expectedSeq}. Was a backup restored?`,
      );
    return new Fenced(`${session} is not in epoch ${epoch} at ${expectedSeq} by now.`);
  }

  async #write(batch: readonly Waiting[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ readonly session: string }>({
      name: 'append',
      text: append,
      values: [
        batch.map(({ session }) => session),
        batch.map(({ epoch }) => epoch),
        batch.map(({ expectedSeq }) => expectedSeq),
        batch.map(({ events }) => events.length),
        ...columnValues(batch.flatMap(({ events }) => events)),
      ],
    });
    return new Set(rows.map(({ session }) => session));
  }
}
