// The words of a text, as a search compares them.

const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const accents = /[\u0300-\u036f]/g;

/** Returns the words of a text in lower case, in their order. */
export const searchWords = (text: string): readonly string[] =>
  text.normalize('NFC').toLowerCase().match(wordPattern) ?? [];

/** Returns a word without accents. */
export const withoutAccents = (word: string): string => word.normalize('NFD').replace(accents, '').normalize('NFC');
