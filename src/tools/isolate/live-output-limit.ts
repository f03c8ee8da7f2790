// Limits the live output of an isolated call: counted inside the isolate, and again by its host, which does not trust it.
import { maxLiveChars } from '../../process/process-output.ts';

/** The cost of each piece beside its characters: many small ones are a flood, too. */
const pieceChars = 16;

/** The live output that a call may still send. */
export class LiveOutputBudget {
  #chars = maxLiveChars;

  /** Returns how many of the next piece's characters may be sent. */
  spend(chars: number): number {
    const allowed = Math.max(0, Math.min(chars, this.#chars));
    this.#chars -= allowed + pieceChars;
    return allowed;
  }
}
