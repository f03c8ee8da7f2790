// A proxy before a PostgreSQL server that cuts connections around a statement: before it reaches the server, or after its commit and before the reply.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PostgresLogOptions } from '../../src/adapters/stores/postgres/postgres.ts';

/** `before`: the server has not read the statement. `after`: it has committed, and nobody reads its reply. */
export type Cut = 'before' | 'after';

export interface PostgresProxy {
  /** How a client connects through it. */
  readonly database: PostgresLogOptions;
  /** The cuts that were made. */
  readonly cuts: number;
  /** Cuts the connection of the next statement that was prepared under this name. */
  cutNext(cut: Cut, statement: string): void;
}

const socketName = '.s.PGSQL.5432';
/** The reply to a statement that was executed begins with these messages: ParseComplete or BindComplete. */
const replyTypes = ['1', '2'].map((type) => type.charCodeAt(0));

/** Listens until the end of the test. */
export async function startPostgresProxy(database: PostgresLogOptions): Promise<PostgresProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-postgres-proxy-'));
  let planned: { readonly cut: Cut; readonly bind: Buffer } | null = null;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(join(database.host, socketName));
    let state: 'passing' | 'cutting' = 'passing';
    const close = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', close).on('close', () => {
        open.delete(socket);
        close();
      });
    }
    client.on('data', (data) => {
      if (planned && data.includes(planned.bind)) {
        const { cut } = planned;
        planned = null;
        cuts++;
        if (cut === 'before') return close();
        state = 'cutting';
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (state === 'passing') client.write(data);
      else if (replyTypes.includes(data[0] ?? 0)) close(); // the reply comes after the commit
    });
  });
  server.listen(join(folder, socketName));
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    database: { ...database, host: folder },
    get cuts() {
      return cuts;
    },
    cutNext(cut, statement) {
      planned = { cut, bind: Buffer.from(`\0${statement}\0`) };
    },
  };
}
