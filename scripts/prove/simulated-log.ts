// The log in memory as the scheduler lets it commit: each request waits for its turn, one after the other.
import type { Log, LogBody } from '../../src/core/contracts/log.ts';
import type { Scheduler } from './scheduler.ts';

export interface SimulatedLogOptions {
  readonly log: Log;
  readonly scheduler: Scheduler;
  /** The longest time of a request, in virtual milliseconds. */
  readonly withinMs: number;
  /** Sees each append when it is requested, before it is durable. */
  onAppend(bodies: readonly LogBody[]): void;
  /** Called before a session is deleted. */
  onDelete(): Promise<void>;
}

type Request = (...args: never[]) => unknown;

/** Returns a log whose requests wait for the scheduler. */
export function simulateLog({ log, scheduler, withinMs, onAppend, onDelete }: SimulatedLogOptions): Log {
  return new Proxy(log, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: never[]) => {
        if (key === 'append') onAppend(args[3] as unknown as readonly LogBody[]); // the bodies of an append
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const perform = () => Reflect.apply(value as Request, target, args);
        scheduler.put('the store', withinMs, () => {
          Promise.resolve(key === 'deleteSession' ? onDelete().then(perform) : perform()).then(resolve, reject);
        });
        return promise;
      };
    },
  });
}
