// Cuts long texts into pieces that a carrier takes, and puts them together again.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { maxCarriedChars } from './carrier.ts';

/** Long texts that are put together at a time. */
const maxOpen = 64;

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** Cuts a text. No piece ends within a character, because each is encoded alone. */
export function cutIntoPieces(text: string): readonly string[] {
  if (text.length <= maxCarriedChars) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + maxCarriedChars, text.length);
    const to = end < text.length && isLowSurrogate(text, end) ? end - 1 : end;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** Puts pieces together. The pieces of one text arrive in their order: where one was lost, the text is dropped. */
export class TextAssembly {
  readonly #open = new BoundedMap<string, string[]>(maxOpen);

  /** Adds piece `index` of `count`. Returns the text when it is whole; null: pieces are missing. */
  add(key: string, index: number, count: number, piece: string): string | null {
    if (count === 1) return piece;
    const pieces = index === 0 ? [] : this.#open.get(key);
    if (!pieces || pieces.length !== index) {
      this.#open.delete(key);
      return null;
    }
    pieces.push(piece);
    if (pieces.length < count) {
      this.#open.set(key, pieces);
      return null;
    }
    this.#open.delete(key);
    return pieces.join('');
  }
}
