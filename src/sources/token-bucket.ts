// A token bucket: limits how often something may happen, and how much of it at once.
import type { Clock } from './sources.ts';

export interface Rate {
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** Starts full. Its level is kept as one number: the time at which it will be full again. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: Rate;
  #fullAt = 0;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Whether there is a token. Removes none. */
  has(): boolean {
    const { perSecond, burst } = this.#rate;
    return this.#fullAt - this.#clock.now() <= ((burst - 1) * 1_000) / perSecond;
  }

  /** Removes tokens; false, with none removed, when there are fewer. */
  spend(tokens = 1): boolean {
    const { perSecond, burst } = this.#rate;
    const msPerToken = 1_000 / perSecond;
    const now = this.#clock.now();
    // never emptier than empty: a clock that was set back refills nothing, and does not lock the bucket until it has caught up
    const fullAt = Math.min(Math.max(this.#fullAt, now), now + burst * msPerToken);
    const hasTokens = fullAt - now <= (burst - tokens) * msPerToken;
    this.#fullAt = hasTokens ? fullAt + tokens * msPerToken : fullAt;
    return hasTokens;
  }
}
