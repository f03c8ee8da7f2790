// A token bucket: limits how often something may happen, and how much of it at once.
import type { Clock } from './sources.ts';

export interface Rate {
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** Starts full. Its level is kept as one number: the time at which it will be full again, by the clock that no step of the time of day changes. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #burst: number;
  readonly #msPerToken: number;
  #fullAt = 0;

  constructor(clock: Pick<Clock, 'elapsed'>, rate: Rate) {
    this.#clock = clock;
    this.#burst = rate.burst;
    this.#msPerToken = 1_000 / rate.perSecond;
  }

  /** Whether there is a token. Removes none. */
  has(): boolean {
    return this.#fullAt - this.#clock.elapsed() <= (this.#burst - 1) * this.#msPerToken;
  }

  /** Removes tokens; false, with none removed, when there are fewer. */
  spend(tokens = 1): boolean {
    const now = this.#clock.elapsed();
    const fullInMs = Math.max(0, this.#fullAt - now);
    if (fullInMs > (this.#burst - tokens) * this.#msPerToken) return false;
    this.#fullAt = now + fullInMs + tokens * this.#msPerToken;
    return true;
  }

  /** Returns a token that was spent for nothing. */
  giveBack(): void {
    this.#fullAt -= this.#msPerToken;
  }
}
