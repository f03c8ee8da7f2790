// The workers of `belay serve --workers`: starts them, hands them the connections, and starts another in the place of one that has ended.
//
// 1. The first one starts alone: it recovers what an earlier start has left, and reports what all would report.
// 2. When a worker has ended, another one recovers its sessions at once, and ends its processes. It starts again after a pause, which doubles with each end in a row.
import { type ChildProcess, fork } from 'node:child_process';
import module from 'node:module';
import type { Socket } from 'node:net';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fieldsOf } from '../core/collections/fields.ts';
import { loadOnce } from '../core/collections/load-once.ts';
import { RestartBackoff } from '../core/sources/restart-backoff.ts';
import type { Clock, Disarm } from '../core/sources/sources.ts';
import type { FromWorker, ToWorker, WorkerFacts, WorkerMessage, WorkerStart } from './worker-parts.ts';

const restartLimits = { restartMinMs: 100, restartMaxMs: 10_000 };
/** A worker that has served for so long has not failed at its start, in milliseconds. */
const steadyMs = 10_000;
/** How long the channel of a dead worker is read, in milliseconds. */
const readMs = 200;
/** From the end of its channel to the exit of a worker, in milliseconds. */
const exitMs = 1_000;
/** Connections that wait while no worker is ready. */
const maxWaiting = 1_000;

/** Beside this file, under the same ending: `.js` once it is built. */
const program = fileURLToPath(new URL(`./worker-program${extname(import.meta.url)}`, import.meta.url));

export interface FleetOptions {
  readonly count: number;
  readonly start: Omit<WorkerStart, 'place' | 'isFirst'>;
  readonly clock: Clock;
  /** How long the workers may take to shut down, in milliseconds. Then they are killed. */
  readonly closeMs: number;
  /** Connects the channel of a worker to the store and the bus, in the tick of its start. */
  connect(child: ChildProcess): void;
  warn(problem: string): void;
}

interface Worker {
  readonly child: ChildProcess;
  state: 'starting' | 'ready' | 'gone';
  hasServed: boolean;
  /** Those that it was handed, and that are open. */
  connections: number;
  /** Those that are being handed to it. */
  readonly handed: Set<Socket>;
  /** Why its start has failed; null: it has not said so. */
  problem: string | null;
  /** Resolves when it is ready; rejects if it ends before. */
  readonly ready: PromiseWithResolvers<WorkerFacts>;
  /** Whether it has closed its sessions. */
  isResting: boolean;
  /** Resolves when it is dead, and all that it has sent was received. */
  readonly gone: Promise<void>;
}

/** The place of a worker, which others take after it. */
interface Place {
  readonly number: number;
  readonly backoff: RestartBackoff;
  worker: Worker | null;
  disarm: Disarm;
}

export class WorkerFleet {
  readonly #options: FleetOptions;
  readonly #places: readonly Place[];
  readonly #waiting: Socket[] = [];
  readonly #metrics = loadOnce(async () => {
    const { WorkerMetrics } = await import('./worker-metrics.ts');
    return new WorkerMetrics<Worker>(this.#options.clock);
  });
  /** Whether the metrics are loaded. */
  #isScraped = false;
  #last = 0;
  #state: 'starting' | 'serving' | 'closing' = 'starting';

  constructor(options: FleetOptions) {
    const { count, clock } = options;
    this.#options = options;
    this.#places = Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      backoff: new RestartBackoff(clock, restartLimits),
      worker: null,
      disarm: () => {},
    }));
  }

  /** Starts all. Resolves when they are ready; rejects if one of them ends before. */
  async start(): Promise<WorkerFacts> {
    const [first, ...others] = this.#places.map((place, i) => () => this.#startIn(place, i === 0));
    if (!first) throw new RangeError('A fleet has a worker.');
    const facts = await first();
    await Promise.all(others.map((startOne) => startOne()));
    if (this.#state === 'starting') this.#state = 'serving';
    return facts;
  }

  /** Hands a connection to the worker that has the fewest. */
  assign(socket: Socket): void {
    socket.on('error', () => {}); // `close` follows
    const ready = this.#places.flatMap(({ worker }) => (worker?.state === 'ready' ? [worker] : []));
    const fewest = Math.min(...ready.map(({ connections }) => connections));
    const equal = ready.filter(({ connections }) => connections === fewest);
    this.#last += 1;
    const worker = equal[this.#last % equal.length]; // those that have as many take turns
    if (worker) return this.#hand(worker, socket);
    if (this.#waiting.length < maxWaiting && this.#state !== 'closing') this.#waiting.push(socket);
    else socket.destroy();
  }

  /** Shuts all down. Resolves when they are dead. */
  async close(): Promise<void> {
    this.#state = 'closing';
    for (const socket of this.#waiting.splice(0)) socket.destroy();
    const open = this.#places.flatMap(({ worker, disarm }) => {
      disarm();
      return worker ? [worker] : [];
    });
    for (const { child } of open) send(child, { op: 'close' });
    const kill = this.#options.clock.after(this.#options.closeMs, () => {
      for (const { child } of open) child.kill('SIGKILL');
    });
    await Promise.all(open.map(({ gone }) => gone));
    kill();
  }

  /** Skips the grace of the shutdown under way. */
  force(): void {
    for (const { worker } of this.#places) if (worker) send(worker.child, { op: 'force' });
  }

  /** Starts a worker in a place. Resolves when it is ready; rejects if it ends before. */
  #startIn(place: Place, isFirst: boolean): Promise<WorkerFacts> {
    const { connect, start, clock } = this.#options;
    const child = fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: environmentOfWorker() });
    const ready = Promise.withResolvers<WorkerFacts>();
    const gone = untilGone(child, clock);
    const worker: Worker = {
      child,
      state: 'starting',
      hasServed: false,
      connections: 0,
      handed: new Set(),
      problem: null,
      isResting: false,
      ready,
      gone,
    };
    place.worker = worker;
    connect(child);
    child.on('message', (received) => {
      const message = fieldsOf(received)['belayWorker'] as FromWorker | undefined; // only workers send this field
      if (message) this.#receive(worker, message);
    });
    send(child, { op: 'start', start: { ...start, place: place.number, isFirst } });
    void gone.then(() => this.#onGone(place, worker));
    return ready.promise;
  }

  #receive(worker: Worker, message: FromWorker): void {
    switch (message.op) {
      case 'left':
        worker.connections -= 1;
        return;
      case 'failed':
        worker.problem = message.problem;
        return;
      case 'measured':
        return void this.#metrics().then((metrics) => metrics.onMeasured(worker, message.snapshot));
      case 'scrape':
        return void this.#replyToScrape(worker);
      case 'rests':
        worker.isResting = true;
        return this.#releaseResting();
      case 'ready':
        worker.state = 'ready';
        worker.hasServed = true;
        worker.ready.resolve(message.facts);
        for (const socket of this.#waiting.splice(0)) this.assign(socket);
    }
  }

  /** Lets those go on that have closed their sessions, as soon as no other one is about to close its own. */
  #releaseResting(): void {
    const open = this.#places.flatMap(({ worker }) => worker ?? []);
    if (this.#state === 'closing' && open.some(({ isResting, state }) => !isResting && state === 'ready')) return;
    for (const { isResting, child } of open) if (isResting) send(child, { op: 'rest' });
  }

  async #replyToScrape(worker: Worker): Promise<void> {
    this.#isScraped = true;
    const metrics = await this.#metrics();
    const ready = this.#places.flatMap((place) => (place.worker?.state === 'ready' ? place.worker : []));
    const text = await metrics.read(ready, ({ child }) => send(child, { op: 'measure' }));
    send(worker.child, { op: 'metrics', text });
  }

  #hand(worker: Worker, socket: Socket): void {
    worker.connections += 1;
    worker.handed.add(socket);
    const carried: WorkerMessage<ToWorker> = { belayWorker: { op: 'connection' } };
    // kept open: it is not lost with a worker that dies before it is sent
    worker.child.send(carried, socket, { keepOpen: true }, (error) => {
      if (!worker.handed.delete(socket)) return; // the worker has died, and another one has it
      if (!error) return void socket.destroy(); // this end alone
      worker.state = 'gone';
      this.assign(socket);
    });
  }

  #onGone(place: Place, worker: Worker): void {
    const { clock, warn } = this.#options;
    const { pid = 0, exitCode, signalCode } = worker.child;
    const how = signalCode ?? `exit code ${exitCode}`;
    worker.state = 'gone';
    worker.ready.reject(new Error(worker.problem ?? `A worker has ended before it was ready: ${how}.`));
    place.worker = null;
    if (this.#isScraped) void this.#metrics().then((metrics) => metrics.onGone(worker));
    const handed = [...worker.handed];
    worker.handed.clear();
    for (const socket of handed) this.assign(socket);
    if (this.#state === 'closing') return this.#releaseResting();
    this.#reportDeath(pid);
    if (this.#state === 'starting') return; // the start fails
    place.backoff.noteFailure();
    const waitMs = Math.max(0, place.backoff.waitMs);
    const why = worker.problem === null ? how : `${how}: ${worker.problem}`;
    const rest = worker.hasServed ? 'Another one recovers its sessions. ' : '';
    warn(`Worker ${place.number} (pid ${pid}) has ended: ${why}. ${rest}It starts again in ${waitMs} ms.`);
    place.disarm = clock.after(waitMs, () => this.#restart(place));
  }

  #restart(place: Place): void {
    const { clock } = this.#options;
    this.#startIn(place, false).then(
      () => {
        place.disarm = clock.after(steadyMs, () => place.backoff.noteSuccess());
      },
      () => {}, // `#onGone` has reported it
    );
  }

  /** Tells the others, of which one recovers what it has left. */
  #reportDeath(pid: number): void {
    let isRecoveredHere = true;
    for (const { worker } of this.#places) {
      if (worker?.state !== 'ready') continue;
      send(worker.child, { op: 'died', death: { pid, isRecoveredHere } });
      isRecoveredHere = false;
    }
  }
}

/** A worker that dies meanwhile receives nothing. */
function send(child: ChildProcess, message: ToWorker): void {
  const carried: WorkerMessage<ToWorker> = { belayWorker: message };
  if (child.connected) child.send(carried, () => {});
}

/**
 * Resolves when a process is dead and its channel is read to the end, or when it could not be started. Node does not say `disconnect` of a channel on which a connection was being handed over: it is
 * closed here then.
 */
function untilGone(child: ChildProcess, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDead = false;
  child.once('exit', () => {
    isDead = true;
    if (!child.connected) return resolve();
    clock.after(readMs, () => {
      if (child.connected) child.disconnect();
      resolve();
    });
  });
  child.once('disconnect', () => {
    if (isDead) resolve();
    else clock.after(exitMs, () => child.kill('SIGKILL')); // without its channel it is of no use
  });
  child.on('error', () => {
    if (child.pid === undefined) resolve();
    else child.kill('SIGKILL');
  });
  return promise;
}

/** The compile cache of this process is that of its workers. */
function environmentOfWorker(): NodeJS.ProcessEnv {
  const folder = module.getCompileCacheDir();
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}
