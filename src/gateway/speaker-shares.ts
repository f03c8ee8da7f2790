// Counts what each speaker uses of a gateway, over all its connections: connections, joined sessions, and bytes a second.
import type { SpeakerId } from '../../machines/vocabulary.ts';
import { BoundedMap } from '../core/collections/bounded-map.ts';
import type { Clock } from '../core/sources/sources.ts';
import { type Rate, TokenBucket } from '../core/sources/token-bucket.ts';

/** Speakers whose rate of bytes is kept: it outlives their connections, so that a new connection brings no new share. */
const maxRates = 10_000;

/** The share of one speaker. Its connections hold it together. */
export class SpeakerShare {
  /** Connections whose HELLO was accepted. */
  connections = 0;
  /** Sessions that they have joined, each connection's counted apart. */
  sessions = 0;
  /** The rate of the bytes that they send. */
  readonly bytes: TokenBucket;

  constructor(bytes: TokenBucket) {
    this.bytes = bytes;
  }
}

export class SpeakerShares {
  readonly #clock: Clock;
  readonly #bytes: Rate;
  readonly #shares = new Map<SpeakerId, SpeakerShare>();
  readonly #rates = new BoundedMap<SpeakerId, TokenBucket>(maxRates);
  #total = 0;

  /** `bytes`: the rate of bytes that a speaker may send. */
  constructor(clock: Clock, bytes: Rate) {
    this.#clock = clock;
    this.#bytes = bytes;
  }

  /** Connections of all speakers. */
  get total(): number {
    return this.#total;
  }

  /** Connections of a speaker. */
  countOf(speaker: SpeakerId): number {
    return this.#shares.get(speaker)?.connections ?? 0;
  }

  /** Counts a connection of the speaker. */
  addConnection(speaker: SpeakerId): SpeakerShare {
    const share = this.#shares.get(speaker) ?? new SpeakerShare(this.#rateOf(speaker));
    this.#shares.set(speaker, share);
    share.connections += 1;
    this.#total += 1;
    return share;
  }

  /** Counts bytes of a speaker that may have no connection; false when they are past the rate. */
  spendBytes(speaker: SpeakerId, bytes: number): boolean {
    return this.#rateOf(speaker).spend(bytes);
  }

  /** Counts a connection less. */
  removeConnection(speaker: SpeakerId): void {
    const share = this.#shares.get(speaker);
    if (!share) return;
    share.connections -= 1;
    this.#total -= 1;
    if (share.connections === 0) this.#shares.delete(speaker);
  }

  #rateOf(speaker: SpeakerId): TokenBucket {
    const rate = this.#rates.get(speaker) ?? new TokenBucket(this.#clock, this.#bytes);
    this.#rates.set(speaker, rate);
    return rate;
  }
}
