// Bounds a text that may be endless to its head and its tail.

export interface BoundedResult {
  /** Head, a line that says how much is missing, tail: together at most as long as asked for. */
  readonly output: string;
  /** Characters (UTF-16 code units) that are missing; 0: the text is whole. */
  readonly omitted: number;
}

export interface BoundedText {
  push(text: string): void;
  end(): BoundedResult;
}

/** Room for the line between head and tail, whatever number it says. */
const noteChars = 64;

const isHighSurrogate = (text: string, at: number) => /[\uD800-\uDBFF]/.test(text.charAt(at));
const isLowSurrogate = (text: string, at: number) => /[\uDC00-\uDFFF]/.test(text.charAt(at));

/** Takes a text piece by piece, and holds no more than some twice `maxChars` characters of it at any time. */
export function createBoundedText(maxChars: number): BoundedText {
  const room = Math.max(0, maxChars - noteChars);
  const headChars = Math.ceil(room / 2);
  const tailChars = room - headChars;
  let head = ''; // the first `maxChars`: enough to be the whole text
  let tail = ''; // what comes after them, its end only
  let length = 0;
  return {
    push(text) {
      length += text.length;
      const taken = Math.min(text.length, maxChars - head.length);
      head += text.slice(0, taken);
      tail += text.slice(Math.max(taken, text.length - tailChars));
      if (tail.length > 2 * tailChars) tail = tail.slice(tail.length - tailChars);
    },
    end() {
      if (length <= maxChars) return { output: head, omitted: 0 };
      // no cut leaves half a character
      const headEnd = isHighSurrogate(head, headChars - 1) ? headChars - 1 : headChars;
      const ending = (head.slice(headEnd) + tail).slice(-tailChars || Number.POSITIVE_INFINITY);
      const tailStart = isLowSurrogate(ending, 0) ? 1 : 0;
      const omitted = length - headEnd - (ending.length - tailStart);
      const note = `\n[… ${omitted} characters omitted …]\n`;
      return { output: head.slice(0, headEnd) + note.slice(0, maxChars - room) + ending.slice(tailStart), omitted };
    },
  };
}

/** A text, or the beginning of one that is longer, with a sign that it goes on. */
export const truncate = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, isHighSurrogate(text, maxChars - 1) ? maxChars - 1 : maxChars)}…`;

export function boundText(text: string, maxOutputChars: number): BoundedResult {
  const bounded = createBoundedText(maxOutputChars);
  bounded.push(text);
  return bounded.end();
}
