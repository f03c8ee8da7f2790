// The arguments of a call, a JSON text, by name: only where names and values say all that the text says.

/** JSON texts in a JSON text. */
const quoted = /"(?:[^"\\]|\\.)*"/g;
const numbers = /-?\d[\d.eE+-]*/g;

/**
 * Returns the arguments by name. Null: the text is no JSON object, as while it arrives; or it says more than its values do, because a name
 * stands in it twice or a number is too large. Such a text is shown as it is.
 */
export function readArguments(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && isWhole(text, value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Whether the value, parsed from the text, has each member and each number of it. */
function isWhole(text: string, value: object): boolean {
  const skeleton = text.replace(quoted, '');
  const members = skeleton.split(':').length - 1;
  return members === countMembers(value) && (skeleton.match(numbers) ?? []).every((number) => isExact(Number(number)));
}

const countMembers = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const values = Object.values(value);
  const own = Array.isArray(value) ? 0 : values.length;
  return values.reduce<number>((sum, each) => sum + countMembers(each), own);
};

const isExact = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
