// Shields every root turn of a session that is not interruptible: a CANCEL is pending until the turn ends or the maximum is over.
import type { SequencedFact } from '../../machines/facts.ts';
import type { Shields } from '../live/shields.ts';
import type { Projection } from '../transcript/journal.ts';

export class TurnShields implements Projection {
  readonly #shields: Shields;
  readonly #maxMs: number;

  constructor(shields: Shields, maxMs: number) {
    this.#shields = shields;
    this.#maxMs = maxMs;
  }

  onAppended({ fact }: SequencedFact): void {
    if (fact.type === 'turn_started' && fact.parent === null) this.#shields.startRegion(fact.turn, this.#maxMs);
  }
}
