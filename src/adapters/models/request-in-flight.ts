// One request in flight: it is closed with the stop of its model call, and when its endpoint has sent nothing for too long.
import { createFailure, type Failure } from './classify-failure.ts';
import { type SilenceLimits, SilenceTimer } from './silence-timer.ts';

/** Disposing it leaves no listener on the signal of the model call, and no timer. */
export class RequestInFlight implements Disposable {
  readonly silence: SilenceTimer;
  readonly #connection = new AbortController();
  readonly #stop: AbortSignal;
  readonly #close = () => this.#connection.abort();
  #timeout: Failure | null = null;

  /** `stop`: the signal of the model call. */
  constructor(stop: AbortSignal, { clock, firstByteMs, idleMs }: SilenceLimits) {
    this.#stop = stop;
    stop.addEventListener('abort', this.#close);
    this.silence = new SilenceTimer({
      clock,
      firstByteMs,
      idleMs,
      onSilent: (message) => {
        this.#timeout = createFailure('model_timed_out', message);
        this.#close();
      },
    });
  }

  /** Closes the connection. */
  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  /** Set if the endpoint was silent for too long: why the request has failed, whatever it has thrown since. */
  get timeout(): Failure | null {
    return this.#timeout;
  }

  [Symbol.dispose](): void {
    this.silence[Symbol.dispose]();
    this.#stop.removeEventListener('abort', this.#close);
  }
}
