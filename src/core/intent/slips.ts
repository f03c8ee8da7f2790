// Slips of the keyboard in a word of Latin letters: two letters in the wrong order, or a letter that is typed too early.

/** The length from which on a word has slips. Of a shorter one, too many are other words. */
const minSlipped = 4;

const latinLetters = /^[a-z]+$/;

/** Words that look like a slip of a stop word. */
const otherWords: ReadonlySet<string> = new Set(
  'alot annuel arpa battle bits calme dieta dorp form from interrompere interromper lasts liasse mara paar parra parse parses quite rein reset scarp spot'.split(
    ' ',
  ),
);

/**
 * Returns the slips of a word: `sotp` and `stpo` (two letters change places), `sotop` and `stpop` (a letter stands before its place, and again in it). The
 * first letter stays: without it too many are other words. Takes time in proportion to the length of the word.
 */
export function slipsOf(word: string): readonly string[] {
  if (word.length < minSlipped || !latinLetters.test(word)) return [];
  const slips: string[] = [];
  for (let at = 1; at < word.length - 1; at += 1) {
    const [before, here, next] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1)];
    if (here === next) continue;
    slips.push(`${before}${next}${here}${word.slice(at + 2)}`, `${before}${next}${word.slice(at)}`);
  }
  return slips.filter((slip) => !otherWords.has(slip));
}
