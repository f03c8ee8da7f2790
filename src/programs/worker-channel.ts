// The end of a worker on the channel to its parent: makes of its messages the parts of a gateway.
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { createChannelBus } from '../adapters/buses/channel-bus.ts';
import { systemProcesses } from '../adapters/processes/system-processes.ts';
import { createRemoteLog } from '../adapters/stores/remote-log.ts';
import type { MetricsSnapshot } from '../adapters/telemetry/sum-metrics.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import type { HostDeath, Processes } from '../core/contracts/processes.ts';
import { parseStoreAddress } from './store-address.ts';
import type { FromWorker, ToWorker, WorkerMessage, WorkerParts, WorkerStart } from './worker-parts.ts';

/** What the parent asks for. `lost`: the parent is dead. */
export type WorkerOrder = 'close' | 'force' | 'lost';

export class WorkerChannel {
  readonly #started = Promise.withResolvers<WorkerStart>();
  readonly #onDeath = new Set<(death: HostDeath) => void>();
  readonly #onOrder: (order: WorkerOrder) => void;
  readonly #rest = Promise.withResolvers<void>();
  #server: Server | null = null;
  #measure: () => Promise<MetricsSnapshot> = async () => [];
  /** Those who wait for the metrics of all. */
  readonly #scrapes: PromiseWithResolvers<string>[] = [];

  /** To be called in the first tick of the process. */
  constructor(onOrder: (order: WorkerOrder) => void) {
    this.#onOrder = onOrder;
    process.on('message', (received, handle) => {
      const message = fieldsOf(received)['belayWorker'] as ToWorker | undefined; // only the parent sends this field
      if (message) this.#receive(message, handle instanceof Socket ? handle : null);
    });
    process.on('disconnect', () => {
      this.#rest.resolve();
      onOrder('lost');
    });
    if (!process.connected) onOrder('lost');
  }

  /** Resolves with the settings. */
  get started(): Promise<WorkerStart> {
    return this.#started.promise;
  }

  send(message: FromWorker): void {
    const carried: WorkerMessage<FromWorker> = { belayWorker: message };
    if (process.connected) process.send?.(carried, undefined, {}, () => {}); // `disconnect` follows a failure
  }

  /** Makes the parts of the gateway. `warn` reports messages of the bus that were dropped. */
  partsOf(
    { config, key, busKey, place, isFirst }: WorkerStart,
    warn: (problem: string, error?: unknown) => void,
  ): WorkerParts {
    const onHostDeath: Processes['onHostDeath'] = (listener) => void this.#onDeath.add(listener);
    return {
      key,
      isFirst,
      cluster: {
        bus: createChannelBus({ key: busKey, warn }),
        options: { label: `worker ${place}`, untilOthersClosed: () => this.#untilOthersClosed() },
      },
      processes: { ...systemProcesses, onHostDeath },
      openLog(stack) {
        if (parseStoreAddress(config.store).kind !== 'file') return null;
        const log = createRemoteLog();
        stack.defer(() => log.close());
        return log;
      },
      bind: (server) => {
        this.#server = server;
        server.emit('listening'); // from now on it closes connections that send no whole request
      },
      shareMetrics: (own) => {
        this.#measure = own;
        return () => this.#scrape();
      },
    };
  }

  #receive(message: ToWorker, socket: Socket | null): void {
    if (message.op === 'start') this.#started.resolve(message.start);
    else if (message.op === 'died') for (const listener of this.#onDeath) listener(message.death);
    else if (message.op === 'connection') this.#accept(socket);
    else if (message.op === 'rest') this.#rest.resolve();
    else if (message.op === 'measure')
      this.#measure().then(
        (snapshot) => this.send({ op: 'measured', snapshot }),
        () => {}, // the parent goes on with what it has
      );
    else if (message.op === 'metrics') this.#endScrapes(message.text);
    else this.#onOrder(message.op);
  }

  #untilOthersClosed(): Promise<void> {
    this.send({ op: 'rests' });
    return this.#rest.promise;
  }

  #scrape(): Promise<string> {
    const scrape = Promise.withResolvers<string>();
    this.#scrapes.push(scrape);
    this.send({ op: 'scrape' });
    return scrape.promise;
  }

  #endScrapes(text: string | null): void {
    for (const { resolve, reject } of this.#scrapes.splice(0)) {
      if (text === null) reject(new Error('The metrics of all workers cannot be read.'));
      else resolve(text);
    }
  }

  /** `socket`: null, if the client has closed it on its way. */
  #accept(socket: Socket | null): void {
    if (!socket || !this.#server) {
      socket?.destroy();
      return this.send({ op: 'left' });
    }
    socket.once('close', () => this.send({ op: 'left' }));
    socket.allowHalfOpen = true; // as that of every HTTP server
    this.#server.emit('connection', socket);
  }
}
