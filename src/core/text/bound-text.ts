// Bounds a text of any length to its head and its tail.

export interface BoundedResult {
  /** Head, a line that says how much is missing, tail: together at most as long as asked for. */
  readonly output: string;
  /** Characters (UTF-16 code units) that are missing; 0: the text is whole. */
  readonly omitted: number;
}

/** Room for the line between head and tail, whatever number it says. */
const noteChars = 64;

const isHighSurrogate = (text: string, at: number) => /[\uD800-\uDBFF]/.test(text.charAt(at));
const isLowSurrogate = (text: string, at: number) => /[\uDC00-\uDFFF]/.test(text.charAt(at));

/** Collects a text piece by piece. It never holds more than some twice `maxChars` characters. */
export class BoundedText {
  readonly #maxChars: number;
  readonly #room: number;
  readonly #headChars: number;
  readonly #tailChars: number;
  /** The first `maxChars` characters: enough to be the whole text. */
  #head = '';
  /** The end of what follows the head. */
  #tail = '';
  #length = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
    this.#room = Math.max(0, maxChars - noteChars);
    this.#headChars = Math.ceil(this.#room / 2);
    this.#tailChars = this.#room - this.#headChars;
  }

  push(text: string): void {
    this.#length += text.length;
    const toHead = Math.min(text.length, this.#maxChars - this.#head.length);
    this.#head += text.slice(0, toHead);
    this.#tail += text.slice(Math.max(toHead, text.length - this.#tailChars));
    if (this.#tail.length > 2 * this.#tailChars) this.#tail = this.#tail.slice(this.#tail.length - this.#tailChars);
  }

  /** Returns what has been pushed so far. No cut leaves half a character. */
  result(): BoundedResult {
    if (this.#length <= this.#maxChars) return { output: this.#head, omitted: 0 };
    const headEnd = isHighSurrogate(this.#head, this.#headChars - 1) ? this.#headChars - 1 : this.#headChars;
    const ending = (this.#head.slice(headEnd) + this.#tail).slice(-this.#tailChars || Number.POSITIVE_INFINITY);
    const tailStart = isLowSurrogate(ending, 0) ? 1 : 0;
    const omitted = this.#length - headEnd - (ending.length - tailStart);
    const note = `\n[… ${omitted} characters omitted …]\n`.slice(0, this.#maxChars - this.#room);
    return { output: this.#head.slice(0, headEnd) + note + ending.slice(tailStart), omitted };
  }
}

/** Returns the first `maxChars` characters of a text, one less where the cut would leave half a character. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, isHighSurrogate(text, maxChars - 1) ? maxChars - 1 : maxChars);

/** Returns a text of at most `maxChars` characters, or the beginning of a longer one with `…` after it. */
export const truncate = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${cutText(text, maxChars)}…`;

/** Bounds a text that is there as a whole to `maxChars` characters. */
export function boundText(text: string, maxChars: number): BoundedResult {
  const bounded = new BoundedText(maxChars);
  bounded.push(text);
  return bounded.result();
}
