// Reads the lists of phrases beside the tests.
import { readFileSync } from 'node:fs';

/** Returns the phrases of a list, without its comments. */
export const readPhraseList = (file: URL): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('# '));
