// Guards an abort signal for code of a tool: an exception of an `abort` listener is charged to its call.
//
// Node reports such an exception as uncaught, which ends the process. Listeners on signals that a tool derives from its own are not
// covered: untrusted code belongs in a worker thread.
import { addAbortListener } from 'node:events';
import { errorText } from '../text/error-text.ts';

type Listener = Parameters<AbortSignal['addEventListener']>[1];
type Options = Parameters<AbortSignal['addEventListener']>[2];
type SafeListener = (event: Event) => void;

/** A signal that follows `source` until it is disposed. */
export class GuardedSignal implements Disposable {
  readonly signal: AbortSignal;
  /** The error of the first listener that threw; null: none has. */
  thrown: string | null = null;
  readonly #following: Disposable;

  /** `onThrow` is called for each exception of a listener. */
  constructor(source: AbortSignal, onThrow: (error: unknown) => void) {
    const own = new AbortController();
    this.signal = own.signal;
    guardListeners(own.signal, (error) => {
      this.thrown ??= errorText(error);
      onThrow(error);
    });
    if (source.aborted) own.abort(source.reason);
    this.#following = addAbortListener(source, () => own.abort(source.reason));
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
  }
}

/** Wraps every listener that is added to the signal, by whichever of the three ways. */
function guardListeners(signal: AbortSignal, onThrow: (error: unknown) => void): void {
  const guarded = new Map<unknown, SafeListener>();
  const guard = (listener: Listener): SafeListener => {
    const known = guarded.get(listener);
    if (known) return known;
    const safe: SafeListener = (event) => {
      try {
        const result: unknown =
          typeof listener === 'function' ? listener.call(signal, event) : listener?.handleEvent(event);
        if (result instanceof Promise) result.catch(onThrow);
      } catch (error) {
        onThrow(error);
      }
    };
    guarded.set(listener, safe);
    return safe;
  };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const replaced: { addEventListener: object; removeEventListener: object; onabort: object } = {
    addEventListener: {
      value: (type: string, listener: Listener | null, options?: Options) => {
        if (listener) add(type, guard(listener), options);
      },
    },
    removeEventListener: {
      value: (type: string, listener: Listener | null, options?: Options) => {
        const safe = guarded.get(listener);
        if (safe) remove(type, safe, options);
      },
    },
    onabort: onabortOf(add, remove, guard),
  };
  Object.defineProperties(signal, replaced as PropertyDescriptorMap); // accessors of one property, values of two
}

function onabortOf(
  add: AbortSignal['addEventListener'],
  remove: AbortSignal['removeEventListener'],
  guard: (listener: Listener) => SafeListener,
): PropertyDescriptor {
  let handler: Listener | null = null;
  return {
    get: () => handler,
    set: (listener: Listener | null) => {
      if (handler) remove('abort', guard(handler));
      handler = listener;
      if (listener) add('abort', guard(listener));
    },
  };
}
