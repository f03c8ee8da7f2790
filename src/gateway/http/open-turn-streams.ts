// The requests that follow a turn, and what becomes of the turn when the last of them is gone.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../../core/sources/sources.ts';

export class OpenTurnStreams {
  readonly #clock: Clock;
  readonly #counts = new Map<NodeId, number>();
  /** Turns that are stopped if nobody comes back. */
  readonly #graces = new Map<NodeId, Disarm>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request that follows the turn. Its turn is not stopped for an earlier one that was lost. */
  add(turn: NodeId): void {
    this.#counts.set(turn, (this.#counts.get(turn) ?? 0) + 1);
    this.#graces.get(turn)?.();
    this.#graces.delete(turn);
  }

  /** A request is over, because the turn is, or does not matter to it. */
  remove(turn: NodeId): void {
    const left = (this.#counts.get(turn) ?? 0) - 1;
    if (left > 0) this.#counts.set(turn, left);
    else this.#counts.delete(turn);
  }

  /** A request was lost. If no other one follows the turn, `cancel` is called after the grace, unless one comes back. */
  lose(turn: NodeId, graceMs: number, cancel: () => void): void {
    this.remove(turn);
    if (this.#counts.has(turn)) return;
    if (graceMs === 0) return cancel();
    const disarm = this.#clock.after(graceMs, () => {
      this.#graces.delete(turn);
      cancel();
    });
    this.#graces.set(turn, disarm);
  }
}
