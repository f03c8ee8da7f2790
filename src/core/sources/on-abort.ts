// Listens to an abort signal that may have fired already.
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
