// Measures a JSON value.

/** A text of this length takes as long to check as one value. */
const charsPerValue = 64;

/** The number of values in a value, itself included; a long text counts as several. */
export function countValues(value: unknown): number {
  const found = [value];
  let count = 0;
  for (const one of found) {
    count += typeof one === 'string' ? 1 + one.length / charsPerValue : 1;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) found.push(inner);
  }
  return count;
}
