// Looks up codes that come from a log or a frame, which may be of a later version.

/** Returns what a table has for a code; undefined: the code is not one of it. */
export const lookUp = <Value>(table: Readonly<Record<string, Value>>, code: string): Value | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;

/** Returns the letters of a code as words: they stand for a code that has no words here. */
export const lettersOf = (code: string): string => code.replaceAll('_', ' ');
