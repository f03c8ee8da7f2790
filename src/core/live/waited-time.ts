// The time that a live node has waited for people or other calls.
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../sources/sources.ts';

/** The time that a node has waited for people or other calls. Several waits at once count once. */
export class WaitedTime {
  #ms = 0;
  #waits = 0;
  #since: MonotonicTime | null = null;

  beginWait(clock: Pick<Clock, 'elapsed'>): void {
    if (this.#waits++ === 0) this.#since = clock.elapsed();
  }

  endWait(clock: Pick<Clock, 'elapsed'>): void {
    if (--this.#waits > 0) return;
    this.#ms = this.readMs(clock);
    this.#since = null;
  }

  /** The waits up to now, in milliseconds. */
  readMs(clock: Pick<Clock, 'elapsed'>): number {
    return this.#ms + (this.#since === null ? 0 : msSince(clock, this.#since));
  }
}
