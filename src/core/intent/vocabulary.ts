// The words of a language's stop phrases, and the forms in which people draw them out or repeat them.
import { pauseToken } from './words.ts';

/** The mark of a doubled Arabic consonant: it may be left out, and where it is written it can make another word. */
const shadda = '\u0651';

/** The limit of a word that a token repeats. It bounds the work for each token. */
const maxRepeatedChars = 16;

/** The length of a run of one letter that no word has. */
const drawnOutRun = 3;

/** The letters of Devanagari that draw out the vowel sign before them. */
const vowelOfSign: ReadonlyMap<string, string> = new Map([
  ['ा', 'आ'],
  ['ी', 'ई'],
  ['ू', 'ऊ'],
  ['े', 'ए'],
  ['ो', 'ओ'],
]);

export class Vocabulary {
  readonly #words = new Set<string>([pauseToken]);
  /** Each word by its form without doubled letters. */
  readonly #bySingleLetters = new Map<string, string>();

  add(word: string): void {
    if (this.#words.has(word)) return;
    this.#words.add(word);
    this.#bySingleLetters.set(collapseRuns(word, 2), word);
  }

  /**
   * Returns the word that a token stands for: the token itself, or the word that it draws out (`stooop`, `smettilaaa`, `noo`) or repeats (`stopstop`);
   * undefined: there is none. Takes time in proportion to the length of the token.
   */
  find(token: string): string | undefined {
    if (this.#words.has(token)) return token;
    const plain = token.replaceAll(shadda, '');
    const drawnIn = collapseRuns(plain, drawnOutRun);
    if (this.#words.has(drawnIn)) return drawnIn;
    if (drawnIn !== plain) {
      const word = this.#bySingleLetters.get(collapseRuns(plain, 2));
      if (word !== undefined) return word;
    }
    return this.#wordWithDoubledEnd(plain) ?? this.#repeatedWord(drawnIn);
  }

  /** Returns the word whose last vowel a token doubles. */
  #wordWithDoubledEnd(token: string): string | undefined {
    const last = token.slice(-1);
    const word = token.slice(0, -1);
    return word.length > 1 && 'aeiouy'.includes(last) && word.endsWith(last) && this.#words.has(word)
      ? word
      : undefined;
  }

  /** Returns the word that a token repeats without a space. */
  #repeatedWord(token: string): string | undefined {
    for (let length = 2; length <= Math.min(maxRepeatedChars, token.length / 2); length += 1) {
      const word = token.slice(0, length);
      if (token.length % length === 0 && this.#words.has(word) && word.repeat(token.length / length) === token)
        return word;
    }
    return undefined;
  }
}

/** Writes a letter once that stands at least `from` times in a row. */
function collapseRuns(token: string, from: number): string {
  let collapsed = '';
  let run = 0;
  let last = '';
  const flush = () => {
    collapsed += run >= from ? last : last.repeat(run);
  };
  for (const char of token) {
    if (char === last || char === vowelOfSign.get(last)) {
      run += 1;
      continue;
    }
    flush();
    last = char;
    run = 1;
  }
  flush();
  return collapsed;
}
