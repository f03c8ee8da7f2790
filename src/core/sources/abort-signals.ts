// Waits on abort signals: a listener that may come too late, and a promise that may be given up.
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
