// The time of the gateway, by which elapsed seconds are right although the clock of this machine is another one.
import { pageClock } from './page-clock.ts';

export class ServerClock {
  readonly #now: () => number;
  /** How far this machine is ahead of the gateway, in milliseconds; null: nothing was received yet. */
  #aheadMs: number | null = null;

  constructor(now: () => number = pageClock.now) {
    this.#now = now;
  }

  /** Takes note of a fact's time. The least delay counts: a replayed fact is old. */
  observe(at: number): void {
    const ahead = this.#now() - at;
    if (this.#aheadMs === null || ahead < this.#aheadMs) this.#aheadMs = ahead;
  }

  /** Milliseconds since 1970, as the gateway has it. A difference of less than two seconds is that of the way. */
  now(): number {
    const ahead = this.#aheadMs ?? 0;
    return this.#now() - (Math.abs(ahead) < 2_000 ? 0 : ahead);
  }
}
