// The rates of HTTP requests: each speaker has those of one connection.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { FrameRates, type Rates } from '../frame-rates.ts';
import type { RequestKind } from './route.ts';

/** Speakers whose rate is kept. */
const maxRates = 10_000;

export class RequestRates {
  readonly #clock: Clock;
  readonly #rates: Rates;
  readonly #speakers = new BoundedMap<SpeakerId, FrameRates>(maxRates);
  readonly #unanswered = new Map<SpeakerId, number>();

  constructor(clock: Clock, rates: Rates) {
    this.#clock = clock;
    this.#rates = rates;
  }

  /** Counts a request of a speaker; false when it is past the rate. A stop counts on its own rate when the other one is used up. */
  countRequest(speaker: SpeakerId, kind: RequestKind): boolean {
    const rates = this.#speakers.get(speaker) ?? new FrameRates(this.#clock, this.#rates);
    this.#speakers.set(speaker, rates);
    return rates.frames.spend() || (kind === 'cancel' && rates.countCancel());
  }

  /** Requests of a speaker that have no reply yet, stops and streams apart. */
  unansweredOf(speaker: SpeakerId): number {
    return this.#unanswered.get(speaker) ?? 0;
  }

  /** Counts a request until the returned function is called. */
  addUnanswered(speaker: SpeakerId): () => void {
    this.#unanswered.set(speaker, this.unansweredOf(speaker) + 1);
    return () => {
      const left = this.unansweredOf(speaker) - 1;
      if (left > 0) this.#unanswered.set(speaker, left);
      else this.#unanswered.delete(speaker);
    };
  }
}
