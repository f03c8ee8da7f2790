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

interface OpenText {
  /** The count of the first piece, by its sender. */
  readonly first: number;
  readonly pieces: string[];
}

/** Puts pieces together. The pieces of one text arrive in their order, and nothing else of their sender between them: where one was lost, the text is dropped. */
export class TextAssembly {
  /** By sender. */
  readonly #open = new BoundedMap<string, OpenText>(maxOpen);

  /** How many texts are not whole yet. */
  get size(): number {
    return this.#open.size;
  }

  /** Adds piece `index` of `count` of a text. Returns the text when it is whole; null: pieces are missing. */
  add(from: string, [index, count, first]: readonly [number, number, number], piece: string): string | null {
    const open: OpenText | undefined = index === 0 ? { first, pieces: [] } : this.#open.get(from);
    this.#open.delete(from); // the end of another one was lost
    if (!open || open.first !== first || open.pieces.length !== index) return null;
    open.pieces.push(piece);
    if (open.pieces.length === count) return open.pieces.join('');
    this.#open.set(from, open);
    return null;
  }
}
