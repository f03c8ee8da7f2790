// The data of one language for stop phrases: lists of words by their place in the phrase.

/**
 * The stop phrases of one language. Each field is a list of phrases, separated by `/`; `(a|b)` in a phrase stands for both spellings, and `(|a)` for
 * a word that may be left out. A comma stands for any punctuation, which must then be there. Write accents, apostrophes and hyphens: people may leave
 * them out. Letters are lower case.
 */
export interface StopLexicon {
  /** The code of the language: `en`. */
  readonly language: string;
  /** Before the stop word, any number of them: `ok`, `please`. */
  readonly lead: string;
  /** What to stop, before the stop word: only in languages with that word order. */
  readonly objectBefore?: string;
  /** Stop words that an object may follow: `stop` (it). */
  readonly stop: string;
  /** Stop words that no object may precede or follow, because they have it already or would mean something else with it: `forget it`. */
  readonly stopWithoutObject: string;
  /** Phrases that stop only when no other stop word stands beside them: `no need` (to cancel). Negations belong here. */
  readonly alone: string;
  /** Stop words that a lead-in would turn into something else: `enough` (good enough). A lead-in and a pause may precede them. */
  readonly withoutLead?: string;
  /** Words that may stand inside a stop phrase of several words: `hör` (bitte) `auf`. */
  readonly between?: string;
  /** What to stop, after the stop word: `it`, `everything`. */
  readonly object: string;
  /** After all of these, any number of them: `please`, `now`. */
  readonly tail: string;
  /** Phrases that make a text talk, wherever they stand in it, though it is made of the words above: `bus stop`. */
  readonly talk?: string;
  /** Other spellings of single words, each written for the word before the colon: `you: u|ya / please: pls`. */
  readonly spellings?: string;
  /** Letters that are written for one another where a language is transliterated, in the order in which they are replaced: `oo=u / ee=i`. */
  readonly transliteration?: string;
}

/** Returns the phrases of a field: split at `/`, with each `(a|b)` written out. */
export function phrasesIn(field: string): string[] {
  return field
    .split('/')
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '')
    .flatMap(expandChoices);
}

/** Returns a phrase once for each choice in its parentheses, the innermost ones first. */
function expandChoices(phrase: string): string[] {
  const open = phrase.lastIndexOf('(');
  const close = phrase.indexOf(')', open);
  if (open < 0 || close < 0) return [phrase];
  const before = phrase.slice(0, open);
  const after = phrase.slice(close + 1);
  return phrase
    .slice(open + 1, close)
    .split('|')
    .flatMap((choice) => expandChoices(before + choice + after));
}

/** Returns the pairs of a field `left: right / …`, split at the separator. */
export function pairsIn(field: string, separator: string): (readonly [left: string, right: string])[] {
  return field
    .split('/')
    .filter((pair) => pair.includes(separator))
    .map((pair) => {
      const [left = '', right = ''] = pair.split(separator);
      return [left.trim(), right.trim()] as const;
    });
}
