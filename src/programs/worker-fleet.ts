// The workers of `belay serve --workers`: starts them, hands them the connections, and starts another in the place of one that has ended.
//
// 1. The first one starts alone: it recovers what an earlier start has left, and reports what all would report.
// 2. When a worker has ended, another one recovers its sessions at once, and ends its processes. It starts again after a pause, which doubles with each end in a row.
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fieldsOf } from '../core/collections/fields.ts';
import { loadOnce } from '../core/collections/load-once.ts';
import { RestartBackoff } from '../core/sources/restart-backoff.ts';
import type { Clock, Disarm } from '../core/sources/sources.ts';
import { errorText } from '../core/text/error-text.ts';
import type { WorkerMetrics } from './worker-metrics.ts';
import type { FromWorker, ToWorker, WorkerFacts, WorkerMessage, WorkerStart } from './worker-parts.ts';
import { sendToWorker, untilGone } from './worker-process.ts';

const restartLimits = { restartMinMs: 100, restartMaxMs: 10_000 };
/** A worker that has served for so long has not failed at its start, in milliseconds. */
const steadyMs = 10_000;
/** Connections that wait while no worker is ready. */
const maxWaiting = 1_000;

export interface FleetOptions {
  readonly count: number;
  readonly start: Omit<WorkerStart, 'place' | 'isFirst'>;
  readonly clock: Clock;
  /** How long the workers may take to shut down, in milliseconds. After half of it none waits for the sessions of another; then they are killed. */
  readonly closeMs: number;
  /** Starts the process of a worker. May throw. */
  fork(): ChildProcess;
  /** Connects the channel of a worker to the store and the bus, in the tick of its start. */
  connect(child: ChildProcess): void;
  warn(problem: string): void;
}

interface Worker {
  readonly child: ChildProcess;
  state: 'starting' | 'ready' | 'closing' | 'gone';
  hasServed: boolean;
  /** Open connections of this worker. */
  connections: number;
  /** Connections whose handover is not complete. */
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
    const loaded = await import('./worker-metrics.ts');
    return new loaded.WorkerMetrics<Worker>(this.#options.clock);
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
    if (this.#state === 'closing') throw new Error('The workers were closed during their start.');
    await Promise.all(others.map((startOne) => startOne()));
    if (this.#state !== 'starting') return facts;
    this.#state = 'serving';
    for (const place of this.#places) if (!place.worker) this.#armRestart(place); // it has died meanwhile
    return facts;
  }

  /** Hands a connection to the worker that has the fewest, of those that have accepted all that they were handed. */
  assign(socket: Socket): void {
    socket.on('error', () => {}); // `close` follows
    const ready = this.#workersThat(({ state }) => state === 'ready');
    const accepting = ready.filter(({ handed }) => handed.size === 0);
    const candidates = accepting.length > 0 ? accepting : ready;
    const fewest = Math.min(...candidates.map(({ connections }) => connections));
    const equal = candidates.filter(({ connections }) => connections === fewest);
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
    for (const { disarm } of this.#places) disarm();
    const open = this.#workersThat(() => true);
    for (const { child } of open) sendToWorker(child, { op: 'close' });
    const { clock, closeMs } = this.#options;
    const timers = [clock.after(closeMs / 2, () => this.#releaseAll()), clock.after(closeMs, () => this.#killLate())];
    await Promise.all(open.map(({ gone }) => gone));
    for (const disarm of timers) disarm();
  }

  /** Skips the grace of the shutdown under way. */
  force(): void {
    for (const { child } of this.#workersThat(() => true)) sendToWorker(child, { op: 'force' });
    this.#releaseAll();
  }

  #workersThat(matches: (worker: Worker) => boolean): readonly Worker[] {
    return this.#places.flatMap(({ worker }) => (worker && matches(worker) ? [worker] : []));
  }

  /** Starts a worker in a place. Resolves when it is ready; rejects if it ends before. */
  #startIn(place: Place, isFirst: boolean): Promise<WorkerFacts> {
    const { connect, start, clock, fork } = this.#options;
    const child = fork();
    const ready = Promise.withResolvers<WorkerFacts>();
    ready.promise.catch(() => {}); // nobody awaits it any more when the start of another one has failed
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
    if (child.pid !== undefined) connect(child);
    child.on('error', (error) => {
      worker.problem ??= errorText(error);
    });
    child.on('message', (received) => {
      const message = fieldsOf(received)['belayWorker'] as FromWorker | undefined; // only workers send this field
      if (message) this.#receive(worker, message);
    });
    sendToWorker(child, { op: 'start', start: { ...start, place: place.number, isFirst } });
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
        return this.#noteMetrics((metrics) => metrics.onMeasured(worker, message.snapshot));
      case 'scrape':
        return void this.#replyToScrape(worker);
      case 'closing':
        worker.state = 'closing';
        return;
      case 'rests':
        worker.isResting = true;
        return this.#releaseResting();
      case 'ready':
        if (worker.state !== 'starting') return; // it shuts down already
        worker.state = 'ready';
        worker.hasServed = true;
        worker.ready.resolve(message.facts);
        for (const socket of this.#waiting.splice(0)) this.assign(socket);
    }
  }

  /** Lets those go on that have closed their sessions, as soon as no other one is about to close its own. */
  #releaseResting(): void {
    const isBusy = ({ state, isResting }: Worker) => !isResting && (state === 'ready' || state === 'closing');
    if (this.#state === 'closing' && this.#workersThat(isBusy).length > 0) return;
    for (const { child } of this.#workersThat(({ isResting }) => isResting)) sendToWorker(child, { op: 'rest' });
  }

  /** Lets all go on, although one may not have closed its sessions: it may hang. */
  #releaseAll(): void {
    for (const { child } of this.#workersThat(() => true)) sendToWorker(child, { op: 'rest' });
  }

  #killLate(): void {
    const { closeMs, warn } = this.#options;
    for (const { number, worker } of this.#places) {
      if (!worker) continue;
      const { child } = worker;
      warn(`Worker ${number} (pid ${child.pid}) has not shut down within ${closeMs} ms. It is killed.`);
      child.kill('SIGKILL');
    }
  }

  async #replyToScrape(worker: Worker): Promise<void> {
    this.#isScraped = true;
    const text = await this.#readMetrics().catch((error: unknown) => {
      this.#options.warn(`The metrics of the workers cannot be read: ${errorText(error)}.`);
      return null;
    });
    sendToWorker(worker.child, { op: 'metrics', text });
  }

  async #readMetrics(): Promise<string> {
    const metrics = await this.#metrics();
    const ready = this.#workersThat(({ state }) => state === 'ready');
    return metrics.read(ready, ({ child }) => sendToWorker(child, { op: 'measure' }));
  }

  #noteMetrics(note: (metrics: WorkerMetrics<Worker>) => void): void {
    this.#metrics().then(note, () => {}); // the next scrape reports it
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
    const { pid, exitCode, signalCode } = worker.child;
    const how = signalCode ?? `exit code ${exitCode}`;
    const why = worker.problem === null ? how : `${how}: ${worker.problem}`;
    worker.state = 'gone';
    worker.ready.reject(new Error(worker.problem ?? `A worker has ended before it was ready: ${how}.`));
    place.worker = null;
    place.disarm(); // it was not steady
    if (this.#isScraped) this.#noteMetrics((metrics) => metrics.onGone(worker));
    const handed = [...worker.handed];
    worker.handed.clear();
    for (const socket of handed) this.assign(socket);
    if (this.#state === 'closing') return this.#releaseResting();
    if (pid === undefined) return this.#onFailedStart(place, worker.problem ?? how);
    this.#reportDeath(pid);
    if (this.#state === 'starting' && !worker.hasServed) return; // the start fails
    const rest = worker.hasServed ? ' Its sessions are recovered.' : '';
    this.#restartLater(place, `Worker ${place.number} (pid ${pid}) has ended: ${why}.${rest}`);
  }

  /** Starts a worker after the pause that follows a failure. */
  #restartLater(place: Place, problem: string): void {
    place.backoff.noteFailure();
    const waitMs = Math.max(0, place.backoff.waitMs);
    const isServing = this.#state === 'serving';
    const when = isServing ? `in ${waitMs} ms` : 'after the start of the others';
    this.#options.warn(`${problem} Worker ${place.number} starts again ${when}.`);
    if (isServing) this.#armRestart(place);
  }

  #onFailedStart(place: Place, problem: string): void {
    if (this.#state !== 'starting') this.#restartLater(place, `Worker ${place.number} cannot be started: ${problem}.`);
  }

  #armRestart(place: Place): void {
    place.disarm = this.#options.clock.after(Math.max(0, place.backoff.waitMs), () => this.#restart(place));
  }

  #restart(place: Place): void {
    const { clock } = this.#options;
    try {
      this.#startIn(place, false).then(
        () => {
          if (place.worker) place.disarm = clock.after(steadyMs, () => place.backoff.noteSuccess());
        },
        () => {}, // `#onGone` has reported it
      );
    } catch (error) {
      this.#onFailedStart(place, errorText(error));
    }
  }

  /** Notifies the other workers; the first one recovers what the dead one has left. */
  #reportDeath(pid: number): void {
    const [recoverer] = this.#workersThat(({ state }) => state === 'ready');
    for (const worker of this.#workersThat(({ state }) => state === 'ready' || state === 'closing'))
      sendToWorker(worker.child, { op: 'died', death: { pid, isRecoveredHere: worker === recoverer } });
  }
}
