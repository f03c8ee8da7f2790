// The log in memory as the scheduler lets it commit: each request waits for its turn, one after the other. It outlives the process that uses it.
import type { Log, LogBody } from '../../../src/core/contracts/log.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/**
 * What becomes of the requests that the store has not applied when their process dies. `lost`: nothing. `applied`: all are applied, and nobody receives
 * the answers. `torn`: the first one is applied, those after it are lost. `late`: they are applied while the next process is already at work.
 */
export type FateOfRequests = 'lost' | 'applied' | 'torn' | 'late';

export interface SimulatedLogOptions {
  readonly log: Log;
  readonly scheduler: Scheduler;
  /** The process that makes the requests. */
  readonly process: SimulatedProcess;
  /** The longest time of a request, in virtual milliseconds. */
  readonly withinMs: number;
  /** Sees each append when it is requested, before it is durable. */
  onAppend(bodies: readonly LogBody[]): void;
  /** Called before a session is deleted. */
  onDelete(session: string): Promise<void>;
}

/** The next host starts within this time, and claims, reads and appends with four requests. */
const lateMs = 30;

type Request = (...args: never[]) => unknown;

/** The log as one process uses it. */
export class SimulatedLog {
  readonly #options: SimulatedLogOptions;
  /** Applies each request that waits, in order. */
  readonly #waiting = new Set<() => Promise<unknown>>();
  readonly log: Log;

  constructor(options: SimulatedLogOptions) {
    this.#options = options;
    this.log = new Proxy(options.log, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...args: never[]) =>
          this.#request(key, () => this.#apply(key, args, () => Reflect.apply(value as Request, target, args)), args);
      },
    });
  }

  /** Requests that were made and not applied. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Called after the death of the process. */
  onDeath(fate: FateOfRequests): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const ignore = () => {}; // nobody receives an answer
    const { scheduler, withinMs } = this.#options;
    const applied = { lost: 0, torn: 1, applied: waiting.length, late: 0 }[fate];
    for (const apply of waiting.slice(0, applied)) void apply().catch(ignore);
    if (fate === 'late')
      for (const apply of waiting)
        scheduler.put('the store, late', lateMs + 4 * withinMs, () => void apply().catch(ignore));
  }

  async #apply(key: string | symbol, [session]: readonly never[], perform: () => unknown): Promise<unknown> {
    if (key === 'deleteSession') await this.#options.onDelete(String(session));
    return perform();
  }

  #request(key: string | symbol, apply: () => Promise<unknown>, args: readonly never[]): Promise<unknown> {
    const { process, withinMs, onAppend } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (process.isDead) return promise;
    if (key === 'append') onAppend(args[3] as unknown as readonly LogBody[]); // the bodies of an append
    this.#waiting.add(apply);
    process.put('the store', withinMs, () => {
      this.#waiting.delete(apply);
      apply().then(resolve, reject);
    });
    return promise;
  }
}
