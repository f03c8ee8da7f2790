// Makes the beginning of a sentence of words.

/** Returns the text with a capital letter at its beginning. */
export const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
