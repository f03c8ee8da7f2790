// Detects a pooler that gives the connections of the server to other clients after each transaction (PgBouncer in transaction mode): a log needs connections of its own.
//
// 1. A pooler does not say what it is. So the processes of the server are compared: a connection of its own has the same one at each statement, and no other connection has it.
// 2. Of its free connections a pooler gives the one that was used last, or each in turn. With the first the second client gets that of the first client, with the second a client gets
//    another one at its next statement; where there is one only, the second client gets it, too.
import type { ClientBase, Pool } from 'pg';
import { StoreFailed } from '../../../core/contracts/log.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { withClient } from './transactions.ts';

const advice =
  'A log needs connections of its own: name the server itself, or set pool_mode = session and ignore_startup_parameters = statement_timeout in PgBouncer.';

async function readPid(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

/** Whether the connections are given to others between transactions. */
async function sharesConnections(client: ClientBase, other: ClientBase): Promise<boolean> {
  const first = await readPid(client);
  if ((await readPid(client)) !== first) return true;
  await other.query('BEGIN'); // keeps its connection until the end
  try {
    return (await readPid(other)) === first || (await readPid(client)) !== first;
  } finally {
    await other.query('ROLLBACK');
  }
}

/** Rejects with `StoreFailed`, which says what to do, if there is such a pooler between this log and the server. */
export async function refusePooler(pool: Pool): Promise<void> {
  const isShared = await withClient(pool, (client) => withClient(pool, (other) => sharesConnections(client, other)));
  if (isShared)
    throw new StoreFailed(
      `A pooler between Belay and PostgreSQL gives connections to other clients after each transaction (pool_mode = transaction). ${advice}`,
    );
}

/** Returns the error of a connection that was refused; that of a pooler says what to do. */
export function connectError(error: unknown): unknown {
  const text = errorText(error);
  return /unsupported startup parameter|statement pooling mode/.test(text)
    ? new StoreFailed(`A pooler between Belay and PostgreSQL refuses it: ${text}. ${advice}`, { cause: error })
    : error;
}
