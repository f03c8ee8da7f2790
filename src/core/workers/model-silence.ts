// Publishes that a model call is still waiting for its endpoint: while it reads a long prompt, or reasons without showing it.
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';

/** The longest time between two notices, in milliseconds. */
const maxIntervalMs = 60_000;

/** Measures from its construction to its disposal. The first notice comes after `firstMs`, the next each time that the silence has doubled. */
export class ModelSilence implements Disposable {
  readonly #clock: Clock;
  readonly #firstMs: number;
  readonly #publish: (elapsedMs: number) => void;
  #since: MonotonicTime;
  #disarm: Disarm = () => {};

  /** `publish` receives how long the model has sent nothing, in milliseconds. */
  constructor(clock: Clock, firstMs: number, publish: (elapsedMs: number) => void) {
    this.#clock = clock;
    this.#firstMs = firstMs;
    this.#publish = publish;
    this.#since = clock.elapsed();
    this.#arm(firstMs);
  }

  /** The model has sent something. */
  noteSign(): void {
    this.#since = this.#clock.elapsed();
  }

  [Symbol.dispose](): void {
    this.#disarm();
  }

  /** One timer for many signs: when it fires, it is armed again for what is left since the last one. */
  #arm(ms: number): void {
    this.#disarm = this.#clock.after(ms, () => {
      const silentMs = msSince(this.#clock, this.#since);
      if (silentMs < this.#firstMs) return this.#arm(this.#firstMs - silentMs);
      this.#arm(Math.min(silentMs, maxIntervalMs));
      this.#publish(silentMs);
    });
  }
}
