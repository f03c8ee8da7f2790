// A cluster on this machine, to try: PostgreSQL, NATS and three hosts, with all their files in one temporary folder.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterProcess, NoSuchProgram, type ProcessOptions } from './cluster-process.ts';
import { endLeftovers } from './leftovers.ts';
import { copyForOthers, findPostgres, installPostgres, type PostgresPrograms } from './postgres-programs.ts';

const belay = fileURLToPath(new URL('../../src/programs/belay.ts', import.meta.url));
const hostCount = 3;
const loopback = '127.0.0.1';
/** PostgreSQL does not run as root. This user is on every machine, and owns nothing there. */
const nobody = 65_534;

export interface LocalHost {
  readonly number: number;
  readonly pid: number;
  /** The address of its socket, with its key. */
  readonly url: string;
}

export interface LocalClusterOptions {
  /** Whether PostgreSQL comes from npm, also where the machine has one. */
  readonly isFromNpm: boolean;
  say(text: string): void;
}

/** The NATS server is missing. */
export class NoNatsServer extends Error {
  override readonly name = 'NoNatsServer';

  constructor() {
    super(
      'There is no nats-server on this machine, and it does not come from npm. Install it, and start again:\n  Debian, Ubuntu   apt-get install nats-server\n  macOS            brew install nats-server\n  elsewhere        https://github.com/nats-io/nats-server/releases',
    );
  }
}

/** The cluster was closed before its start was complete. */
export class StartAborted extends Error {
  override readonly name = 'StartAborted';
}

export class LocalCluster {
  readonly #options: LocalClusterOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'belay-cluster-'));
  readonly #state = join(this.#folder, 'state');
  readonly #hosts: ClusterProcess[] = [];
  readonly #servers: ClusterProcess[] = [];
  #isClosing = false;

  constructor(options: LocalClusterOptions) {
    this.#options = options;
  }

  /** Starts everything. Resolves when the hosts listen. Rejects with `NoNatsServer`, with `StartAborted`, or with the output of what has failed: close it then, too. */
  async start(): Promise<readonly LocalHost[]> {
    const nats = await this.#startNats();
    const store = await this.#startPostgres();
    const config = join(this.#folder, 'belay.json');
    const keyFile = join(this.#folder, 'bus.key');
    writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
    writeFileSync(config, JSON.stringify({ demo: true, store, bus: { servers: [nats], keyFile } }, null, 2));
    const hosts: LocalHost[] = [];
    // one after the other: the first makes the tables and the files of the tour
    for (let number = 1; number <= hostCount; number++) hosts.push(await this.#startHost(number, config));
    return hosts;
  }

  /** Ends the hosts at once (SIGTERM would have them drain), then the servers, and removes the files. Resolves when nothing is left. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#hosts.map((host) => host.stop('SIGINT')));
    await endLeftovers(this.#state);
    await Promise.all(this.#servers.map((server) => server.stop('SIGINT'))); // PostgreSQL ends its connections
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Makes hosts that shut down skip the grace of what they stop. */
  force(): void {
    for (const host of this.#hosts) void host.stop('SIGINT');
  }

  async #startNats(): Promise<string> {
    const port = await freePort();
    const args = ['-a', loopback, '-p', String(port)];
    const server = this.#startServer('nats-server', 'nats-server', { args, cwd: this.#folder });
    try {
      await server.untilPrinted(/Server is ready/);
    } catch (error) {
      throw error instanceof NoSuchProgram ? new NoNatsServer() : error;
    }
    return `${loopback}:${port}`;
  }

  /** Resolves with the address of its database. It listens on a socket in a folder of its user, and on no port. */
  async #startPostgres(): Promise<string> {
    const { isFromNpm, say } = this.#options;
    const cwd = join(this.#folder, 'postgres');
    mkdirSync(cwd, { mode: 0o700 });
    let programs =
      (isFromNpm ? null : findPostgres()) ?? (await installPostgres(say, (npm) => this.#track(npm, this.#servers)));
    this.#assertOpen();
    const user = process.getuid?.() === 0 ? nobody : undefined;
    if (user !== undefined) programs = this.#openFor(user, cwd, programs);
    const data = join(cwd, 'data');
    const files = ['--pgdata', data, '--no-sync', '--no-instructions'];
    const access = ['--auth', 'trust', '--username', 'belay', '--encoding', 'UTF8', '--locale', 'C'];
    const initdb = join(programs.folder, 'initdb');
    await this.#startServer('initdb', initdb, { args: [...files, ...access], cwd, user }).untilDone();
    const settings = ['listen_addresses=', `unix_socket_directories=${cwd}`].flatMap((one) => ['-c', one]);
    const args = ['-D', data, ...settings];
    const server = this.#startServer('PostgreSQL', join(programs.folder, 'postgres'), { args, cwd, user });
    await server.untilPrinted(/ready to accept connections/);
    say(`${programs.name} and NATS run.`);
    return `postgres://belay@localhost/postgres?host=${encodeURIComponent(cwd)}`;
  }

  /** Gives the folder to the user. */
  #openFor(user: number, folder: string, programs: PostgresPrograms): PostgresPrograms {
    this.#options.say('This is root, as whom PostgreSQL does not run: it runs as the user nobody. No user is added.');
    chmodSync(this.#folder, 0o711); // passed through, and not read
    const readable = copyForOthers(programs, join(this.#folder, 'programs'));
    chownSync(folder, user, user);
    return readable;
  }

  async #startHost(number: number, config: string): Promise<LocalHost> {
    const port = await freePort();
    this.#assertOpen();
    const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('BELAY_'));
    const host = this.#track(
      new ClusterProcess(`host ${number}`, process.execPath, {
        args: [belay, 'serve', '--config', config, '--port', String(port)],
        cwd: this.#folder,
        // keys and records of these hosts are in the folder, too
        env: { ...Object.fromEntries(settings), XDG_STATE_HOME: this.#state },
      }),
      this.#hosts,
    );
    const [, url = ''] = await host.untilPrinted(/listens at (\S+)/);
    void host.ended.then((how) => {
      if (!this.#isClosing) this.#options.say(`Host ${number} (pid ${host.pid}) has ended: ${how}.`);
    });
    return { number, pid: host.pid, url };
  }

  #startServer(name: string, file: string, options: ProcessOptions): ClusterProcess {
    this.#assertOpen();
    return this.#track(new ClusterProcess(name, file, options), this.#servers);
  }

  #track(process: ClusterProcess, list: ClusterProcess[]): ClusterProcess {
    list.push(process);
    return process;
  }

  #assertOpen(): void {
    if (this.#isClosing) throw new StartAborted('The cluster was closed during its start.');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, loopback);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
