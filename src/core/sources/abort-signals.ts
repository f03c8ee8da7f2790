// Waits on abort signals, and makes them late: a listener that may come too late, a promise that may be given up, a signal that is made when it is read.
import { addAbortListener } from 'node:events';

/**
 * Calls `listener` once: at once if the signal has fired, else in the tick in which it fires.
 * @returns Disposing it removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  if (!signal.aborted) return addAbortListener(signal, listener);
  listener();
  return { [Symbol.dispose]() {} };
}

/**
 * Settles as `promise` does, or resolves with `aborted` as soon as the signal fires. Leaves no listener; a rejection of `promise` after the
 * abort is not unhandled.
 */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>();
  using _ = addAbortListener(signal, () => resolve('aborted'));
  return await Promise.race([promise, aborted]);
}

/** A signal that is made when it is first read: most are never read, and each costs more than the rest of its call. */
export class LateSignal {
  #controller: AbortController | null = null;
  #fired: { readonly reason: unknown } | null = null;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#fired) this.#controller.abort(this.#fired.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#fired ??= { reason };
    this.#controller?.abort(reason);
  }
}
