// Keeps the process alive while a caller waits for the runtime, whose own timers do not: a script that awaits a receipt gets it.
import type { Disarm } from '../core/sources/sources.ts';

export class PendingKeepAlive {
  readonly #start: () => Disarm;
  #pending = 0;
  #stop: Disarm = () => {};

  /** `start` keeps the process alive until the function is called that it returns. */
  constructor(start: () => Disarm) {
    this.#start = start;
  }

  /** Keeps the process alive until the promise has settled, however it settles. */
  until(promise: Promise<unknown>): void {
    if (this.#pending === 0) this.#stop = this.#start();
    this.#pending += 1;
    const settled = () => this.#onSettled();
    promise.then(settled, settled);
  }

  #onSettled(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#stop();
  }
}
