// Formats a count with its noun.

/** Returns the count and the noun, like `1 node` or `3 nodes`. `plural`: where it is not the noun with an s. */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
