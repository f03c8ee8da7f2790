// A signal whose listeners cannot end the process: an exception in one is charged to the call that it belongs to.
//
// Node reports an exception of an `abort` listener as uncaught. Listeners on signals that a tool derives from its own are
// not reached by this: hostile code belongs in a worker thread.

import { errorText } from '../text/error-text.ts';

type Listener = Parameters<AbortSignal['addEventListener']>[1];
type Options = Parameters<AbortSignal['addEventListener']>[2];
type SafeListener = (event: Event) => void;

export interface GuardedSignal {
  readonly signal: AbortSignal;
  /** What the first listener that threw said; null: none has. */
  readonly thrown: string | null;
  leave(): void;
}

export function guardSignal(source: AbortSignal, onThrow: (error: unknown) => void): GuardedSignal {
  const own = new AbortController();
  const { signal } = own;
  const guarded = new Map<unknown, SafeListener>();
  let first: string | null = null;
  const charge = (error: unknown) => {
    first ??= errorText(error);
    onThrow(error);
  };
  const guard = (listener: Listener): SafeListener => {
    const known = guarded.get(listener);
    if (known) return known;
    const safe: SafeListener = (event) => {
      try {
        const result: unknown =
          typeof listener === 'function' ? listener.call(signal, event) : listener?.handleEvent(event);
        if (result instanceof Promise) result.catch(charge);
      } catch (error) {
        charge(error);
      }
    };
    guarded.set(listener, safe);
    return safe;
  };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  let handler: Listener | null = null;
  Object.defineProperties(signal, {
    addEventListener: {
      value: (type: string, listener: Listener | null, options?: Options) => {
        if (listener) add(type, guard(listener), options);
      },
    },
    removeEventListener: {
      value: (type: string, listener: Listener | null, options?: Options) => {
        if (listener) remove(type, guarded.get(listener) ?? (listener as SafeListener), options);
      },
    },
    onabort: {
      get: () => handler,
      set: (listener: Listener | null) => {
        if (handler) signal.removeEventListener('abort', handler as SafeListener);
        handler = listener;
        if (listener) signal.addEventListener('abort', listener as SafeListener);
      },
    },
  });
  const stop = () => own.abort(source.reason);
  if (source.aborted) stop();
  else source.addEventListener('abort', stop);
  return {
    signal,
    get thrown() {
      return first;
    },
    leave: () => source.removeEventListener('abort', stop),
  };
}
