// The turns that each speaker has open: counted over all sessions of a host, so that one speaker leaves room for the others.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { FactHandlers, Projection } from '../transcript/journal.ts';

/** The counts of a host. */
export class SpeakerTurns {
  readonly #limit: number;
  readonly #counts = new Map<SpeakerId, number>();

  /** `limit`: turns that a speaker may have open at a time. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Speakers with an open turn. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts one turn more; false, and nothing is counted, if the limit is reached. */
  add(owner: SpeakerId): boolean {
    const count = this.#counts.get(owner) ?? 0;
    if (count >= this.#limit) return false;
    this.#counts.set(owner, count + 1);
    return true;
  }

  /** Counts one turn less. */
  remove(owner: SpeakerId): void {
    const count = (this.#counts.get(owner) ?? 0) - 1;
    if (count > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
  }
}

/** The turns of one session that count, from their SAY until their end. */
export class TurnShares implements Projection {
  static readonly #handlers: FactHandlers<TurnShares> = {
    turn_ended({ turn }) {
      this.release(turn);
    },
    input_settled({ input, fate }) {
      if (fate !== 'queued') this.release(input);
    },
  };
  readonly appended = TurnShares.#handlers;
  readonly #counts: SpeakerTurns;
  readonly #owners = new Map<NodeId, SpeakerId>();

  constructor(counts: SpeakerTurns) {
    this.#counts = counts;
  }

  /** The number of turns that count. */
  get size(): number {
    return this.#owners.size;
  }

  /** Counts a turn that is about to be opened; false if its owner has too many. */
  reserve(turn: NodeId, owner: SpeakerId): boolean {
    if (!this.#counts.add(owner)) return false;
    this.#owners.set(turn, owner);
    return true;
  }

  /** Counts the turn no more; no effect if it does not count. */
  release(turn: NodeId): void {
    const owner = this.#owners.get(turn);
    if (owner === undefined) return;
    this.#owners.delete(turn);
    this.#counts.remove(owner);
  }

  /** The session has ended: none of its turns counts any more. */
  close(): void {
    for (const turn of [...this.#owners.keys()]) this.release(turn);
  }
}
