// A NATS server of a test file, on a port of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { until } from './until.ts';

function isInstalled(): boolean {
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Whether there is a server. In CI the tests fail without one: elsewhere they are left out, and say so. */
export const hasNats = isInstalled();
if (!hasNats && process.env['CI']) throw new Error('There is no NATS server, and CI is set: .ci/nats installs it.');
if (!hasNats)
  console.warn('There is no NATS server here (Debian: nats-server): the tests of the bus over it are skipped.');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

export interface NatsServer {
  readonly address: () => string;
  /** Kills it. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server for the tests of a file. `flags`: of the program. */
export function useNats(flags: readonly string[] = []): NatsServer {
  let port = 0;
  let server: ChildProcess | null = null;
  const start = async () => {
    server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    server.stderr?.on('data', (data) => {
      log += data; // read as long as it runs: it ends when nobody does
    });
    await until(() => log.includes('Server is ready'), { ms: 10_000, what: 'the NATS server' });
  };
  const stop = async () => {
    const exited = server && once(server, 'exit');
    server?.kill('SIGKILL');
    await exited;
    server = null;
  };
  beforeAll(async () => {
    if (!hasNats) return;
    port = await freePort();
    await start();
  });
  afterAll(async () => {
    if (server) await stop();
  });
  return { address: () => `127.0.0.1:${port}`, start, stop };
}
