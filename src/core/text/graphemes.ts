// Splits texts into what a person sees as characters: an emoji of several parts, or a letter with its accents, is one.
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the characters of a text. */
export const charactersOf = (text: string): readonly string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Returns the first character of a text; empty if there is none. */
export function firstCharacter(text: string): string {
  for (const { segment } of graphemes.segment(text)) return segment;
  return '';
}
