// A timer that pauses while a call waits for a person. Several calls can pause it at once.
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';

export class PausableTimer {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  #leftMs: number;
  #runningSince: MonotonicTime;
  #pauses = 0;
  #state: 'on' | 'stopped' = 'on';
  #disarm: Disarm = () => {};

  /** Calls `onExpired` once, `ms` milliseconds from now, pauses not counted; 0: never. */
  constructor(clock: Clock, ms: number, onExpired: () => void) {
    this.#clock = clock;
    this.#runningSince = clock.elapsed();
    this.#leftMs = ms;
    this.#onExpired = onExpired;
    if (ms === 0) this.#state = 'stopped';
    else this.#run();
  }

  /** Pauses the timer until `resume` has been called as often as `pause`. */
  pause(): void {
    if (this.#state === 'stopped' || this.#pauses++ > 0) return;
    this.#disarm();
    this.#leftMs -= msSince(this.#clock, this.#runningSince);
  }

  resume(): void {
    if (this.#state === 'on' && --this.#pauses === 0) this.#run();
  }

  /** Disarms the timer for good. */
  stop(): void {
    this.#state = 'stopped';
    this.#disarm();
  }

  #run(): void {
    this.#runningSince = this.#clock.elapsed();
    this.#disarm = this.#clock.after(Math.max(0, this.#leftMs), this.#onExpired);
  }
}
