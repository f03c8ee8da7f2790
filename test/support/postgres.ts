// A PostgreSQL server of a test file: a cluster of its own in a temporary folder, which listens on a socket in it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { PostgresLogOptions } from '../../src/adapters/stores/postgres/postgres.ts';
import { scaled } from './time-scale.ts';
import { until } from './until.ts';

/** The folder of the programs of the oldest version that is installed; null: none is. */
function findPrograms(): string | null {
  const folders = globSync('/usr/lib/postgresql/*/bin').toSorted();
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

const programs = findPrograms();
/** In CI the tests fail without a server: elsewhere they are left out, and say so. */
if (!programs && process.env['CI']) throw new Error('There is no PostgreSQL, and CI is set: .ci/postgres installs it.');
if (!programs)
  console.warn('There is no PostgreSQL here (Debian: postgresql): the tests of the log in it are skipped.');
export const hasPostgres = programs !== null;

/** PostgreSQL does not run as root: as somebody else then. */
const nobody = 65_534;
const asPlainUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

export interface PostgresServer {
  /** The folder of its socket. */
  readonly folder: string;
  /** Stops it, which ends its connections. */
  stop(): Promise<void>;
  /** Starts it again. Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Starts a replica of it, until the end of the test. Resolves with how its database is connected to. */
  startReplica(database: PostgresLogOptions): Promise<PostgresLogOptions>;
  /** Makes an empty database. Resolves with how a log is opened in it. */
  newDatabase(): Promise<PostgresLogOptions>;
}

interface RunningServer {
  /** `fast`: it ends its connections, and writes all it has to its files. `immediate`: it writes nothing. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
}

interface ServerFiles {
  readonly data: string;
  readonly socket: string;
  readonly settings: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a server on its data. Resolves when it accepts connections. */
async function startServer({ data, socket, settings, env }: ServerFiles): Promise<RunningServer> {
  const options = ['listen_addresses=', `unix_socket_directories=${socket}`, ...settings].flatMap((one) => ['-c', one]);
  const server = spawn(join(programs ?? '', 'postgres'), ['-D', data, ...options], {
    ...asPlainUser,
    cwd: socket,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  const exited = once(server, 'exit');
  await until(() => accepts(socket), { ms: 20_000, what: 'the server to accept connections' });
  return {
    async stop(how) {
      server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await exited;
    },
  };
}

async function accepts(socket: string): Promise<boolean> {
  const client = new pg.Client({ host: socket, database: 'postgres', user });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

const user = 'belay';

/** Starts a server for the tests of a file. */
export function usePostgres(settings: readonly string[] = [], env: NodeJS.ProcessEnv = {}): PostgresServer {
  const folder = mkdtempSync(join(tmpdir(), 'belay-postgres-'));
  const data = join(folder, 'data');
  let count = 0;
  let running: RunningServer | null = null;
  beforeAll(async () => {
    if (!programs) return;
    if ('uid' in asPlainUser) chownSync(folder, nobody, nobody);
    const initial = ['--pgdata', data, '--auth', 'trust', '--username', user, '--encoding', 'UTF8', '--no-sync'];
    execFileSync(join(programs, 'initdb'), initial, { ...asPlainUser, cwd: folder, stdio: 'ignore' });
    running = await startServer({ data, socket: folder, settings, env });
  }, scaled(60_000));
  afterAll(async () => {
    await running?.stop('immediate'); // nobody reads its files again
    rmSync(folder, { recursive: true, force: true });
  }, scaled(30_000));

  const connection = (database: string) => ({ host: folder, database, user });
  return {
    folder,
    async stop() {
      await running?.stop('fast');
    },
    async start() {
      running = await startServer({ data, socket: folder, settings, env });
    },
    async startReplica(database) {
      const socket = mkdtempSync(join(folder, 'replica-'));
      const copy = join(socket, 'data');
      if ('uid' in asPlainUser) chownSync(socket, nobody, nobody);
      const args = [
        '--pgdata',
        copy,
        '--host',
        folder,
        '--username',
        user,
        '--write-recovery-conf',
        '--checkpoint=fast',
      ];
      execFileSync(join(programs ?? '', 'pg_basebackup'), args, { ...asPlainUser, cwd: socket, stdio: 'ignore' });
      const replica = await startServer({ data: copy, socket, settings, env });
      onTestFinished(() => replica.stop('immediate'));
      return { ...database, host: socket };
    },
    async newDatabase() {
      const database = `belay${++count}`;
      const client = new pg.Client(connection('postgres'));
      await client.connect();
      await client.query(`CREATE DATABASE ${database}`);
      await client.end();
      return connection(database);
    },
  };
}

/** Runs one statement on a connection of its own. Resolves with its rows. */
export async function queryRows(
  database: PostgresLogOptions,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ ...database });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
