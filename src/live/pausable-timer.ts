// A timer that stands still as long as a person is waited for, also by several calls at once.
import type { Clock, Disarm } from '../sources/sources.ts';

export class PausableTimer {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #leftMs: number;
  #since = 0;
  #pauses = 0;
  #state: 'on' | 'stopped' = 'on';
  #disarm: Disarm = () => {};

  /** Calls `ring` once, `ms` milliseconds from now without the pauses; 0: never. */
  constructor(clock: Clock, ms: number, ring: () => void) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#ring = ring;
    if (ms === 0) this.#state = 'stopped';
    else this.#run();
  }

  /** Stands still until each `pause` has had its `resume`. */
  pause(): void {
    if (this.#state === 'stopped' || this.#pauses++ > 0) return;
    this.#disarm();
    this.#leftMs -= this.#clock.now() - this.#since;
  }

  resume(): void {
    if (this.#state === 'on' && --this.#pauses === 0) this.#run();
  }

  /** Disarms it for good. */
  stop(): void {
    this.#state = 'stopped';
    this.#disarm();
  }

  #run(): void {
    this.#since = this.#clock.now();
    this.#disarm = this.#clock.after(Math.max(0, this.#leftMs), this.#ring);
  }
}
