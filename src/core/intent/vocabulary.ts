// The words of a language's stop phrases, and the forms in which people draw them out or repeat them.
import { pairsIn } from './lexicons/lexicon.ts';
import { slipsOf } from './slips.ts';
import { pauseToken, spellingsOf } from './words.ts';

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

/** A word in Latin letters, and the digits that stand for letters of Arabic. */
const transliterated = /^[a-z0-9']+$/;

/** The length from which on a transliterated word may be spelled in another way. Shorter words are words of too many languages. */
const minTransliterated = 4;

export class Vocabulary {
  /** The word that a spelling stands for: its plainest spelling, without accents and apostrophes. */
  readonly #words = new Map<string, string>([[pauseToken, pauseToken]]);
  /** Each word by its form without doubled letters. */
  readonly #bySingleLetters = new Map<string, string>();
  /** The word whose other spelling a token is, if it is one of the vocabulary. */
  readonly #bySpelling = new Map<string, string>();
  /** The word that a slip of the keyboard stands for. */
  readonly #bySlip = new Map<string, string>();
  /** The words whose slips count. */
  readonly #slipped = new Set<string>();
  /** Each transliterated word by its sound. */
  readonly #bySound = new Map<string, string>();
  readonly #sounds: readonly (readonly [letters: string, sound: string])[];
  readonly #exact: ReadonlySet<string>;

  /** @param exact words that are not transliterated, though they are written in Latin letters. */
  constructor(spellings = '', transliteration = '', exact: readonly string[] = []) {
    for (const [word, others] of pairsIn(spellings, ':'))
      for (const spelling of others.split('|').flatMap(spellingsOf)) this.#bySpelling.set(spelling, plainest(word));
    this.#sounds = pairsIn(transliteration, '=');
    this.#exact = new Set(exact);
  }

  /** Adds a word, and returns the word that stands for it and for its other spellings. */
  add(spelling: string): string {
    const spellings = spellingsOf(spelling);
    const word = this.#find(spelling) ?? this.#bySpelling.get(spelling) ?? plainest(spelling);
    for (const each of spellings) {
      if (this.#words.has(each)) continue;
      this.#words.set(each, word);
      this.#bySingleLetters.set(collapseRuns(each, 2), word);
    }
    this.#words.set(word, word);
    const sound = this.#soundOf(word);
    if (sound !== undefined) this.#bySound.set(sound, word);
    return word;
  }

  /** Makes the slips of the keyboard in a word count, also where the last letter is doubled: `sotp` and `sotpp` are `stop`. */
  addSlipsOf(word: string): void {
    if (this.#slipped.has(word)) return;
    this.#slipped.add(word);
    for (const slip of slipsOf(word)) this.#bySlip.set(slip, word).set(slip + slip.slice(-1), word);
  }

  /**
   * Returns the word that a token stands for: the token itself, another spelling of it, or the word that it draws out (`stooop`, `smettilaaa`, `noo`),
   * repeats (`stopstop`) or misspells by a slip of the keyboard (`sotp`); undefined: there is none. Takes time in proportion to the length of the token.
   */
  find(token: string): string | undefined {
    const known = this.#find(token);
    if (known !== undefined) return known;
    const plain = token.replaceAll(shadda, '');
    const drawnIn = collapseRuns(plain, drawnOutRun);
    const word = this.#words.get(drawnIn);
    if (word !== undefined) return word;
    if (drawnIn !== plain) {
      const drawn = this.#find(drawnIn) ?? this.#bySingleLetters.get(collapseRuns(plain, 2));
      if (drawn !== undefined) return drawn;
    }
    return this.#wordWithDoubledEnd(plain) ?? this.#repeatedWord(drawnIn) ?? this.#bySlip.get(drawnIn);
  }

  #find(token: string): string | undefined {
    const word = this.#words.get(this.#bySpelling.get(token) ?? token);
    if (word !== undefined) return word;
    const sound = this.#soundOf(token);
    return sound === undefined ? undefined : this.#bySound.get(sound);
  }

  /** Returns a transliterated word with one letter for each sound; undefined: it is not transliterated. */
  #soundOf(word: string): string | undefined {
    if (this.#sounds.length === 0 || word.length < minTransliterated) return undefined;
    if (!transliterated.test(word) || this.#exact.has(word)) return undefined;
    let sound = word;
    for (const [letters, one] of this.#sounds) sound = sound.replaceAll(letters, one);
    sound = collapseRuns(sound, 2);
    return sound.length < minTransliterated ? undefined : sound;
  }

  /** Returns the word whose last vowel a token doubles. */
  #wordWithDoubledEnd(token: string): string | undefined {
    const last = token.slice(-1);
    const word = token.slice(0, -1);
    return word.length > 1 && 'aeiouy'.includes(last) && word.endsWith(last) ? this.#words.get(word) : undefined;
  }

  /** Returns the word that a token repeats without a space. */
  #repeatedWord(token: string): string | undefined {
    for (let length = 2; length <= Math.min(maxRepeatedChars, token.length / 2); length += 1) {
      const part = token.slice(0, length);
      const word = token.length % length === 0 ? this.#words.get(part) : undefined;
      if (word !== undefined && part.repeat(token.length / length) === token) return word;
    }
    return undefined;
  }
}

const plainest = (word: string): string => spellingsOf(word).at(-1) ?? word;

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
