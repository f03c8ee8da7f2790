// Estimates how wide a text is on the page: a layout is made where there is no browser.

/** Widths of the characters of a wide sans-serif face, in parts of its size. What is not listed is as wide as an `n`. */
const widths: readonly (readonly [string, number])[] = [
  ["iljI.,:;'|!", 0.3],
  ['ftr()[] -·/', 0.38],
  ['sckvxyzJ_', 0.54],
  ['mwMW→', 0.92],
  ['ABCDEGHKNOPQRSUVXYZ', 0.72],
  ['FLT', 0.64],
];
const usual = 0.6;

/** Returns the width of a text in a size of type, rather too large than too small. */
export function textWidth(text: string, size: number): number {
  let parts = 0;
  for (const character of text) parts += widths.find(([set]) => set.includes(character))?.[1] ?? usual;
  return Math.ceil(parts * size);
}
