// Limits the live output of an isolated call. The isolate counts it, and the host counts it again, because it does not trust the isolate.

import { cutText } from '../../../core/text/bound-text.ts';
import { liveCutNote } from '../../../core/text/live-output.ts';
import { maxLiveChars } from '../../processes/process-output.ts';

/** The cost of each piece in addition to its characters, so that many small pieces reach the limit too. */
const pieceChars = 16;

/** The live output that a call may still send. */
export class LiveOutputBudget {
  #chars: number;

  /** @param noteChars Room for one more piece, which says that the rest is not shown. */
  constructor(noteChars = 0) {
    this.#chars = maxLiveChars - (noteChars === 0 ? 0 : noteChars + pieceChars);
  }

  /** Returns how many of the next piece's characters may be sent. */
  spend(chars: number): number {
    const allowed = Math.max(0, Math.min(chars, this.#chars));
    this.#chars -= allowed + pieceChars;
    return allowed;
  }
}

const note = `\n${liveCutNote}`;

/** Cuts the live output of a call inside its isolate. The last piece says that the rest is not shown. */
export class IsolateLiveOutput {
  readonly #budget = new LiveOutputBudget(note.length);
  #state: 'open' | 'cut off' = 'open';

  /** Returns what is sent of a piece; empty: nothing. */
  cut(text: string): string {
    if (this.#state === 'cut off' || text === '') return '';
    const allowed = cutText(text, this.#budget.spend(text.length));
    if (allowed.length === text.length) return text;
    this.#state = 'cut off';
    return `${allowed}${note}`;
  }
}
