// Checks the names of the options that a program gives: a misspelt one would have no effect, and nobody would notice.
import { nearestWord } from './nearest-word.ts';

/** The kinds that the value of an option may have. A list is an array; an object is no array. */
export type OptionKind = 'text' | 'list' | 'object' | 'function' | 'boolean';

const kindNames: Readonly<Record<OptionKind, string>> = {
  text: 'a string',
  list: 'an array',
  object: 'an object',
  function: 'a function',
  boolean: 'true or false',
};

/**
 * Throws a RangeError that names the option, and the known one that is nearest, if one is unknown or has a value of another kind. Options that are
 * undefined count as left out. `owner`: the function that takes them; null as a kind: any value.
 */
export function assertOptions(
  owner: string,
  options: unknown,
  kinds: Readonly<Record<string, OptionKind | null>>,
): asserts options is object {
  if (!isOf('object', options))
    throw new RangeError(`${owner} takes an object with its options, not ${nameOf(options)}.`);
  const given = Object.entries(options as object); // checked by the line before
  for (const [name, value] of given) {
    if (!Object.hasOwn(kinds, name))
      throw new RangeError(`${owner} has no option ${name}. ${hintFor(name, Object.keys(kinds))}`);
    const kind = kinds[name] ?? null;
    if (value !== undefined && kind !== null && !isOf(kind, value))
      throw new RangeError(`The option ${name} of ${owner} must be ${kindNames[kind]}, not ${nameOf(value)}.`);
  }
}

/** Returns what was meant by a name: the nearest of the known ones, or all of them. */
export function hintFor(name: string, known: readonly string[]): string {
  const meant = nearestWord(name, known);
  return meant === null ? `There are ${known.join(', ')}.` : `Did you mean ${meant}?`;
}

function isOf(kind: OptionKind, value: unknown): boolean {
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'function' || kind === 'boolean') return typeof value === kind;
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nameOf = (value: unknown): string =>
  value === null || value === undefined
    ? String(value)
    : Array.isArray(value)
      ? 'an array'
      : `a value of type ${typeof value}`;
