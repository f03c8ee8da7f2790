// A token bucket: limits how often something may happen, and how much of it at once.
import { addMs, msUntil } from './monotonic-time.ts';
import type { Clock, MonotonicTime } from './sources.ts';

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
  #fullAt: MonotonicTime;

  constructor(clock: Pick<Clock, 'elapsed'>, rate: Rate) {
    this.#clock = clock;
    this.#burst = rate.burst;
    this.#msPerToken = 1_000 / rate.perSecond;
    this.#fullAt = clock.elapsed();
  }

  /** Whether there is a token. Removes none. */
  has(): boolean {
    return msUntil(this.#clock, this.#fullAt) <= (this.#burst - 1) * this.#msPerToken;
  }

  /** Removes tokens; false, with none removed, when there are fewer. */
  spend(tokens = 1): boolean {
    const fullInMs = Math.max(0, msUntil(this.#clock, this.#fullAt));
    if (fullInMs > (this.#burst - tokens) * this.#msPerToken) return false;
    this.#fullAt = addMs(this.#clock.elapsed(), fullInMs + tokens * this.#msPerToken);
    return true;
  }

  /** Returns a token that was spent for nothing. */
  giveBack(): void {
    this.#fullAt = addMs(this.#fullAt, -this.#msPerToken);
  }
}
