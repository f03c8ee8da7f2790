// The sound that a listener has and has not played yet, as far as its sender can know: one piece after the other, each at its speed.
//
// 1. A turn that is paused keeps its place and takes no time: what was sent after it is played.
// 2. What is dropped takes no time any more.
import type { NodeId } from '../../machines/vocabulary.ts';
import { msBetween } from '../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../core/sources/sources.ts';

/** A part of a text block, in the order of the sending. */
interface Unplayed {
  readonly turn: NodeId;
  readonly index: number;
  ms: number;
}

export class UnplayedSound {
  readonly #clock: Pick<Clock, 'elapsed'>;
  #parts: Unplayed[] = [];
  readonly #paused = new Set<NodeId>();
  /** The moment up to which what was played is removed. */
  #at: MonotonicTime;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
    this.#at = clock.elapsed();
  }

  /** What is left to be played, in milliseconds, without what is paused. */
  get ms(): number {
    this.#removePlayed();
    return this.#parts.reduce((sum, { turn, ms }) => (this.#paused.has(turn) ? sum : sum + ms), 0);
  }

  /** Notes what is sent. */
  add({ turn, index }: Pick<Unplayed, 'turn' | 'index'>, ms: number): void {
    this.#removePlayed();
    const last = this.#parts.at(-1);
    if (last?.turn === turn && last.index === index) last.ms += ms;
    else this.#parts.push({ turn, index, ms });
  }

  pause(turn: NodeId): void {
    this.#removePlayed();
    if (this.#parts.some((part) => part.turn === turn)) this.#paused.add(turn);
  }

  resume(turn: NodeId): void {
    this.#removePlayed();
    this.#paused.delete(turn);
  }

  /** Removes the blocks of a turn up to an index. Returns whether there was anything of them. */
  drop(turn: NodeId, through: number): boolean {
    this.resume(turn);
    const kept = this.#parts.filter((part) => part.turn !== turn || part.index > through);
    const isLess = kept.length < this.#parts.length;
    this.#parts = kept;
    return isLess;
  }

  #removePlayed(): void {
    const now = this.#clock.elapsed();
    let passed = msBetween(this.#at, now);
    this.#at = now;
    for (const part of this.#parts) {
      if (this.#paused.has(part.turn)) continue;
      const played = Math.min(passed, part.ms);
      part.ms -= played;
      passed -= played;
    }
    this.#parts = this.#parts.filter(({ ms }) => ms > 0);
  }
}
