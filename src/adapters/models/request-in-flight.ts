// One request in flight: it is closed with the stop of its model call, and when its endpoint has been silent for too long: before the first
// byte of its response, between two bytes, or after the finish.
import { msSince } from '../../core/sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../../core/sources/sources.ts';
import { createFailure, type Failure } from './classify-failure.ts';

export interface SilenceLimits {
  readonly clock: Clock;
  /** From the request to the first byte of the response's body, in milliseconds; 0: without a limit. */
  readonly firstByteMs: number;
  /** Between bytes; 0: without a limit. */
  readonly idleMs: number;
}

type Phase = 'waiting' | 'streaming' | 'finished';

/** Measures from its construction to its disposal, which leaves no listener on the signal of the model call, and no timer. */
export class RequestInFlight implements Disposable {
  /** Closes the connection. */
  readonly signal: AbortSignal;
  /** The failure of a request whose endpoint was silent for too long, whatever the request has thrown since; else null. */
  timeout: Failure | null = null;
  readonly #connection = new AbortController();
  readonly #stop: AbortSignal;
  readonly #close = () => this.#connection.abort();
  readonly #limits: SilenceLimits;
  #phase: Phase = 'waiting';
  #timeoutMs = 0;
  #since: MonotonicTime;
  #disarm: Disarm | undefined;

  /** `stop`: the signal of the model call. */
  constructor(stop: AbortSignal, limits: SilenceLimits) {
    this.signal = this.#connection.signal;
    this.#stop = stop;
    this.#limits = limits;
    this.#since = limits.clock.elapsed();
    stop.addEventListener('abort', this.#close);
    this.#enter('waiting', limits.firstByteMs);
  }

  /** Some bytes have arrived. */
  noteBytes(): void {
    if (this.#phase === 'waiting') this.#enter('streaming', this.#limits.idleMs);
    else if (this.#phase === 'streaming') this.#since = this.#limits.clock.elapsed();
  }

  /** After the finish reason: what may still come (usage) has `ms` milliseconds in all. */
  noteFinish(ms: number): void {
    if (this.#phase !== 'finished') this.#enter('finished', ms);
  }

  [Symbol.dispose](): void {
    this.#disarm?.();
    this.#stop.removeEventListener('abort', this.#close);
  }

  #enter(phase: Phase, timeoutMs: number): void {
    this.#disarm?.();
    this.#disarm = undefined;
    this.#phase = phase;
    this.#timeoutMs = timeoutMs;
    this.#since = this.#limits.clock.elapsed();
    if (timeoutMs > 0) this.#arm(timeoutMs);
  }

  /** One timer for many bytes: when it fires, it is armed again for what is left since the last byte. */
  #arm(ms: number): void {
    const { clock } = this.#limits;
    this.#disarm = clock.after(ms, () => {
      const leftMs = this.#timeoutMs - msSince(clock, this.#since);
      if (leftMs > 0) return this.#arm(leftMs);
      const setting = this.#phase === 'waiting' ? 'firstByteMs' : 'idleMs';
      const message = `The endpoint sent nothing for ${this.#timeoutMs} ms. Raise ${setting} if the model needs longer.`;
      this.timeout = createFailure('model_timed_out', message);
      this.#close();
    });
  }
}
