// PgBouncer before a PostgreSQL server of a test: a pooler of its own, on a socket in a temporary folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PostgresLogOptions } from '../../src/adapters/stores/postgres/postgres.ts';
import { hasPostgres } from './postgres.ts';
import { until } from './until.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
);
/** In CI the tests fail without it: elsewhere they are left out, and say so. */
if (!program && process.env['CI']) throw new Error('There is no PgBouncer, and CI is set: .ci/postgres installs it.');
if (!program) console.warn('There is no PgBouncer here (Debian: pgbouncer): the tests of a log behind it are skipped.');
export const hasPgBouncer = program !== undefined && hasPostgres;

const port = 6_432; // of the name of its socket: each has a folder of its own
const nobody = 65_534;
const asPlainUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** Starts one with these settings before a database, until the end of the test. Resolves with how a client connects through it. */
export async function startPgBouncer(
  database: PostgresLogOptions,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresLogOptions> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-pgbouncer-'));
  if ('uid' in asPlainUser) chownSync(folder, nobody, nobody);
  const lines = {
    listen_addr: '',
    listen_port: String(port),
    unix_socket_dir: folder,
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    ...settings,
  };
  const config = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(folder, 'users.txt'), `"${database.user}" ""\n`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n${database.database} = host=${database.host}\n[pgbouncer]\n${config.join('\n')}\n`,
  );
  const pooler = spawn(program ?? '', ['pgbouncer.ini'], { ...asPlainUser, cwd: folder, stdio: 'ignore' });
  const exited = once(pooler, 'exit');
  onTestFinished(async () => {
    pooler.kill('SIGKILL');
    await exited;
  });
  const socket = join(folder, `.s.PGSQL.${port}`);
  await until(() => listensAt(socket), { ms: 20_000, what: 'the socket of PgBouncer' });
  return { ...database, host: folder, port };
}

/** Whether a connection is accepted: the file of the socket is there a moment earlier. */
async function listensAt(socket: string): Promise<boolean> {
  const connection = connect(socket);
  const isAccepted = await once(connection, 'connect').then(
    () => true,
    () => false, // an error comes first
  );
  connection.destroy();
  return isAccepted;
}
