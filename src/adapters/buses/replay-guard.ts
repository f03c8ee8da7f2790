// Drops messages that were sent again by somebody who has recorded them.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { Clock } from '../../core/sources/sources.ts';

/** How far a message of an unknown sender may be from the time of day here, in milliseconds. */
const freshMs = 300_000;
/** How many counts a message may be late by. */
const lateCounts = 1_024;
/** Senders whose counts are kept. */
const maxSenders = 1_000;

interface SeenCounts {
  high: number;
  readonly recent: Set<number>;
}

export class ReplayGuard {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #senders = new BoundedMap<string, SeenCounts>(maxSenders);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Whether the message is the first with this count. The time counts for a sender that is not known yet: clocks of hosts that know each other may be set. */
  accept(from: string, count: number, at: number): boolean {
    const known = this.#senders.get(from);
    if (!known) {
      if (Math.abs(this.#clock.now() - at) > freshMs) return false;
      this.#senders.set(from, { high: count, recent: new Set([count]) });
      return true;
    }
    if (count <= known.high - lateCounts || known.recent.has(count)) return false;
    this.#senders.set(from, known); // those that were silent longest are forgotten first
    known.recent.add(count);
    known.high = Math.max(known.high, count);
    if (known.recent.size > 2 * lateCounts)
      for (const old of known.recent) if (old <= known.high - lateCounts) known.recent.delete(old);
    return true;
  }
}
