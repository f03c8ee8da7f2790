// Guards the abort signal of a call for the code of its tool: an exception of an `abort` listener is charged to the call.
//
// Node reports such an exception as uncaught, which ends the process. Listeners on signals that a tool derives from its own are not
// covered: untrusted code belongs in a worker thread.
import { errorText } from '../text/error-text.ts';

type Listener = Parameters<AbortSignal['addEventListener']>[1];
type Options = Parameters<AbortSignal['addEventListener']>[2];
type SafeListener = (event: Event) => void;

/** Guards a signal until it is disposed: then the listeners that were added meanwhile do nothing, and later ones are not guarded. */
export class GuardedSignal implements Disposable {
  readonly signal: AbortSignal;
  /** The error of the first listener that threw; null: none has. */
  thrown: string | null = null;
  #state: 'guarding' | 'over' = 'guarding';

  /** `onThrow` is called for each exception of a listener. */
  constructor(signal: AbortSignal, onThrow: (error: unknown) => void) {
    this.signal = signal;
    const charge = (error: unknown) => {
      this.thrown ??= errorText(error);
      onThrow(error);
    };
    guardListeners(signal, () => this.#state === 'guarding', charge);
  }

  [Symbol.dispose](): void {
    this.#state = 'over';
    for (const name of ['addEventListener', 'removeEventListener', 'onabort'])
      Reflect.deleteProperty(this.signal, name);
  }
}

/** Wraps every listener that is added to the signal, by whichever of the three ways. */
function guardListeners(signal: AbortSignal, isGuarding: () => boolean, onThrow: (error: unknown) => void): void {
  const guarded = new Map<unknown, SafeListener>();
  const guard = (listener: Listener): SafeListener => {
    const known = guarded.get(listener);
    if (known) return known;
    const safe: SafeListener = (event) => {
      if (!isGuarding()) return;
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
      configurable: true,
      value: (type: string, listener: Listener | null, options?: Options) => {
        if (listener) add(type, guard(listener), options);
      },
    },
    removeEventListener: {
      configurable: true,
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
    configurable: true,
    get: () => handler,
    set: (listener: Listener | null) => {
      if (handler) remove('abort', guard(handler));
      handler = listener;
      if (listener) add('abort', guard(listener));
    },
  };
}
