// Shows the live output of a call up to a limit. After it, one line says that the rest is not shown.
import { cutText } from './bound-text.ts';

/** The last line of live output that is over its limit. */
export const liveCutNote = '[… the rest is not shown live …]\n';

export class LiveOutput {
  readonly #show: (text: string) => void;
  #charsLeft: number;
  #state: 'at line start' | 'in a line' | 'cut off' = 'at line start';

  /** @param maxChars The limit, in characters, without the last line. */
  constructor(maxChars: number, show: (text: string) => void) {
    this.#charsLeft = maxChars;
    this.#show = show;
  }

  /** Shows a piece of output, as far as the limit allows. */
  push(text: string): void {
    if (text === '' || this.#state === 'cut off') return;
    const shown = cutText(text, this.#charsLeft);
    this.#charsLeft -= shown.length;
    if (shown !== '') this.#state = shown.endsWith('\n') ? 'at line start' : 'in a line';
    if (shown.length === text.length) return this.#show(text);
    const lineEnd = this.#state === 'in a line' ? '\n' : '';
    this.#state = 'cut off';
    this.#show(`${shown}${lineEnd}${liveCutNote}`);
  }
}
