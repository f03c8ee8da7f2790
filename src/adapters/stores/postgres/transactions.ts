// Statements and transactions on the connections of a PostgreSQL log.
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { StoreFailed } from '../../../core/contracts/log.ts';
import { logError } from './failures.ts';

/** Runs work on a connection of a pool, and gives it back. */
export async function withClient<Value>(pool: Pool, work: (client: PoolClient) => Promise<Value>): Promise<Value> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

export class Transactions {
  readonly #pool: Pool;
  readonly #onFailure: () => void;
  #state: 'open' | 'closed' = 'open';
  readonly #running = new Set<Promise<unknown>>();

  /** `onFailure`: called when a request has failed because of the server or the way to it. */
  constructor(pool: Pool, onFailure: () => void) {
    this.#pool = pool;
    this.#onFailure = onFailure;
  }

  /** Runs one statement, which is a transaction of its own. */
  query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<Row>> {
    return this.track(() => this.#pool.query<Row>(text, values));
  }

  /** Commits what the work does, or nothing of it. */
  run<Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value> {
    return this.track(() => this.#transact(work));
  }

  /** Runs work on a connection, outside any transaction. */
  borrow<Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value> {
    return this.track(() => withClient(this.#pool, work));
  }

  /** Runs a request, if the log is open. Rejects with the errors of a log. */
  async track<Value>(request: () => Promise<Value>): Promise<Value> {
    if (this.#state === 'closed') throw new StoreFailed('The log is closed.');
    const running = request();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      const failure = logError(error);
      if (failure instanceof StoreFailed) this.#onFailure();
      throw failure;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses what comes from now on. Resolves when all that came before has been done. */
  async close(): Promise<void> {
    this.#state = 'closed';
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async #transact<Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value> {
    const client = await this.#pool.connect();
    let broken = false;
    try {
      await client.query('BEGIN');
      const value = await work(client);
      await client.query('COMMIT');
      return value;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true; // it may still be in the transaction
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
