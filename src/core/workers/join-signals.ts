// Joins two abort signals by hand: Node keeps what `AbortSignal.any` has joined for as long as the sources live.
import { addAbortListener } from 'node:events';

export interface JoinedSignal extends Disposable {
  /** Fires, with the reason, when the first of the sources fires. */
  readonly signal: AbortSignal;
}

/** Listens to both sources until the result is disposed. */
export function joinSignals(first: AbortSignal, second: AbortSignal): JoinedSignal {
  const own = new AbortController();
  const listeners = [first, second].map((source) => {
    if (source.aborted) own.abort(source.reason);
    return addAbortListener(source, () => own.abort(source.reason));
  });
  return {
    signal: own.signal,
    [Symbol.dispose]() {
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}
