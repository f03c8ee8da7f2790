// Reports an endpoint that stays silent: before the first byte of its response, between two bytes, or after the finish.
import type { Clock, Disarm } from '../../core/sources/sources.ts';

/** The defaults: local models read a long prompt for minutes, and some endpoints send nothing while a model reasons. */
export const silenceLimits = { firstByteMs: 600_000, idleMs: 300_000 } as const;

export interface SilenceLimits {
  readonly clock: Clock;
  /** From the request to the first byte of the response's body, in milliseconds; 0: without a limit. */
  readonly firstByteMs: number;
  /** Between bytes; 0: without a limit. */
  readonly idleMs: number;
}

export interface SilenceTimerOptions extends SilenceLimits {
  /** Called once, with a sentence, when the endpoint has been silent for too long. */
  readonly onSilent: (message: string) => void;
}

/** Measures from its construction to its disposal, which disarms its timer. */
export class SilenceTimer implements Disposable {
  readonly #options: SilenceTimerOptions;
  #phase: 'waiting' | 'streaming' | 'finished' = 'waiting';
  #timeoutMs = 0;
  #since = 0;
  #disarm: Disarm = () => {};

  constructor(options: SilenceTimerOptions) {
    this.#options = options;
    this.#enter('waiting', options.firstByteMs);
  }

  /** Some bytes have arrived. */
  noteBytes(): void {
    if (this.#phase === 'waiting') this.#enter('streaming', this.#options.idleMs);
    else if (this.#phase === 'streaming') this.#since = this.#options.clock.elapsed();
  }

  /** After the finish reason: what may still come (usage) has `ms` milliseconds in all. */
  finish(ms: number): void {
    if (this.#phase !== 'finished') this.#enter('finished', ms);
  }

  [Symbol.dispose](): void {
    this.#disarm();
  }

  #enter(phase: 'waiting' | 'streaming' | 'finished', timeoutMs: number): void {
    this.#disarm();
    this.#disarm = () => {};
    this.#phase = phase;
    this.#timeoutMs = timeoutMs;
    this.#since = this.#options.clock.elapsed();
    if (timeoutMs > 0) this.#arm(timeoutMs);
  }

  /** One timer for many bytes: when it fires, it is armed again for what is left since the last byte. */
  #arm(ms: number): void {
    const { clock, onSilent } = this.#options;
    this.#disarm = clock.after(ms, () => {
      const leftMs = this.#since + this.#timeoutMs - clock.elapsed();
      if (leftMs > 0) this.#arm(leftMs);
      else onSilent(this.#sentence());
    });
  }

  #sentence(): string {
    const setting = this.#phase === 'waiting' ? 'firstByteMs' : 'idleMs';
    return `The endpoint sent nothing for ${this.#timeoutMs} ms. Raise ${setting} if the model needs longer.`;
  }
}
