// Limits the live output of an isolated call. The isolate counts it, and the host counts it again, because it does not trust the isolate.
import { maxLiveChars } from '../../process/process-output.ts';

/** The cost of each piece in addition to its characters, so that many small pieces reach the limit too. */
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
