// Finds the word that somebody meant who has misspelt it.

/** Longer words are no slip: comparing them would take long. */
const maxChars = 64;

/** Returns the word of a list that a misspelt one was meant to be; null when none is near. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  if (word.length > maxChars) return null;
  const candidates = words
    .map((other) => ({ other, slips: distance(word.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, slips }) => slips <= Math.max(1, Math.floor(Math.min(word.length, other.length) / 3)))
    .sort((a, b) => a.slips - b.slips);
  return candidates[0]?.other ?? null;
}

/** Counts the letters that must be added, removed, changed or swapped with the next to make one word of the other. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : changed;
      rows[i]?.push(Math.min(changed, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
