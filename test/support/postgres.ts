// A PostgreSQL server of a test file: a cluster of its own in a temporary folder, which listens on a socket in it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
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
  /** Makes an empty database. Resolves with how a log is opened in it. */
  newDatabase(): Promise<PostgresLogOptions>;
}

/** Starts a server for the tests of a file. */
export function usePostgres(settings: readonly string[] = []): PostgresServer {
  const folder = mkdtempSync(join(tmpdir(), 'belay-postgres-'));
  const data = join(folder, 'data');
  const user = 'belay';
  let count = 0;
  let stop: () => Promise<void> = async () => {};
  beforeAll(async () => {
    if (!programs) return;
    if ('uid' in asPlainUser) chownSync(folder, nobody, nobody);
    const initial = ['--pgdata', data, '--auth', 'trust', '--username', user, '--encoding', 'UTF8', '--no-sync'];
    execFileSync(join(programs, 'initdb'), initial, { ...asPlainUser, cwd: folder, stdio: 'ignore' });
    const options = ['listen_addresses=', `unix_socket_directories=${folder}`, ...settings].flatMap((one) => [
      '-c',
      one,
    ]);
    const server = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
      ...asPlainUser,
      cwd: folder,
      stdio: 'ignore',
    });
    const exited = once(server, 'exit');
    stop = async () => {
      server.kill('SIGINT'); // ends its connections
      await exited;
    };
    await until(() => connects(), { ms: 20_000, what: 'the server to accept connections' });
  }, scaled(60_000));
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }, scaled(30_000));

  const connection = (database: string) => ({ host: folder, database, user });
  const connects = async () => {
    const client = new pg.Client(connection('postgres'));
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  };
  return {
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
