// The time of the gateway, and how long ago something happened there, by a clock of this machine that does not step.
//
// 1. What was seen as it happened is as old as the time that has passed here: a step of the gateway's time of day does not change it.
// 2. What was replayed, or is older than what is remembered, is as old as the gateway's time of day says.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { ViewedSession } from './session-view.ts';

/** The limit of times that are remembered. The oldest is dropped first. */
const maxTimes = 1_000;

export class GatewayTime {
  readonly #elapsedMs: () => number;
  /** The time of day there less the time that has passed here; null: no frame has had a time. `replayed`: at least that. */
  #offset: { readonly ms: number; readonly from: 'replayed' | 'live' } | null = null;
  /** Times of the gateway, and the time that had passed here then. */
  readonly #seen = new BoundedMap<number, number>(maxTimes);

  /** `elapsedMs`: returns the milliseconds since any moment, by a clock that does not step. */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
    this.ageMs = this.ageMs.bind(this);
  }

  /** Takes note of a fact's time, in milliseconds since 1970. `live`: the fact has just been committed. */
  observe(at: number, from: 'replayed' | 'live'): void {
    const elapsed = this.#elapsedMs();
    const ms = at - elapsed;
    if (from === 'live') {
      this.#offset = { ms, from };
      this.#seen.set(at, elapsed);
    } else if (this.#offset === null || (this.#offset.from === 'replayed' && ms > this.#offset.ms))
      this.#offset = { ms, from };
  }

  /** Observes the facts of a session from now on: as they happen when it is joined, replayed before. */
  follow(session: ViewedSession): void {
    session.on('*', (frame) => {
      const from = session.state === 'joined' ? 'live' : 'replayed';
      if ('at' in frame && frame.at !== undefined) this.observe(frame.at, from);
    });
  }

  /** Forgets everything: this machine may have slept since, without its clock. */
  forget(): void {
    this.#offset = null;
    this.#seen.clear();
  }

  /** The time of day at the gateway, in milliseconds since 1970; null: no frame has had a time. */
  now(): number | null {
    return this.#offset && this.#elapsedMs() + this.#offset.ms;
  }

  /** Returns how long ago it was so late at the gateway, in milliseconds; never below zero. */
  ageMs(at: number): number {
    const elapsed = this.#elapsedMs();
    const seen = this.#seen.get(at);
    if (seen !== undefined) return elapsed - seen;
    const age = Math.max(0, (this.now() ?? at) - at);
    if (this.#offset?.from === 'live') this.#seen.set(at, elapsed - age); // it grows with the time that passes from now on
    return age;
  }
}
