// The rates of one connection's frames. CANCEL has a rate of its own, for when the frames have used up theirs; so have pings and pongs.
import type { Clock } from '../core/sources/sources.ts';
import { type Rate, TokenBucket } from '../core/sources/token-bucket.ts';

export interface Rates {
  readonly frames: Rate;
  readonly cancels: Rate;
}

export class FrameRates {
  readonly #clock: Clock;
  readonly #rates: Rates;
  readonly frames: TokenBucket;
  #cancels: TokenBucket | null = null; // few connections ever need it
  #controls: TokenBucket | null = null; // until the first ping or pong

  constructor(clock: Clock, rates: Rates) {
    this.#clock = clock;
    this.#rates = rates;
    this.frames = new TokenBucket(clock, rates.frames);
  }

  /** Counts a ping or pong of the client; false when it is past the rate, which is that of frames. */
  countControl(): boolean {
    this.#controls ??= new TokenBucket(this.#clock, this.#rates.frames);
    return this.#controls.spend();
  }

  /** Counts a CANCEL that is past the rate of frames; false when it is past the rate of CANCELs too. */
  countCancel(): boolean {
    this.#cancels ??= new TokenBucket(this.#clock, this.#rates.cancels);
    return this.#cancels.spend();
  }
}
