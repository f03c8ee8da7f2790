// What is wrong with a value, in words for a person who has written it: of what its schema has found, the first thing.
import type * as z from 'zod';

export interface Flaw {
  /** Where in the value it is. */
  readonly at: readonly PropertyKey[];
  /** `unknown`: there is no such field as the last of `at`; `key`: the name is not good; `value`: what stands there is not. */
  readonly kind: 'unknown' | 'key' | 'value';
  /** Of a key or a value, behind "it": `must be …`, `is missing`. Of what is unknown, a sentence: what there is. */
  readonly says: string;
}

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** `says` has nothing of a value where a text is wanted, and no key of the value's: either may be a secret. */
export function flawOf(schema: Schema, value: unknown, issues: readonly Issue[]): Flaw {
  const first = issues[0];
  if (!first) return { at: [], kind: 'value', says: 'is not what it should be' };
  // a number may be over more than one bound: the narrowest is told last
  const issue = issues.findLast(({ path }) => path.join() === first.path.join()) ?? first;
  return flawOfIssue(schema, value, issue, []);
}

function flawOfIssue(schema: Schema, value: unknown, issue: Issue, above: readonly PropertyKey[]): Flaw {
  const at = [...above, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      return { at: [...at, key], kind: 'unknown', says: whatThereIs(key, keysAt(schema, at)) };
    }
    case 'invalid_key':
      return { at, kind: 'key', says: saysOf(issue.issues[0], undefined) };
    case 'invalid_union': {
      const branches = [...issue.errors].sort((a, b) => a.length - b.length);
      const [best, next] = branches;
      // what fits one kind better than the others was meant to be that kind
      const [inner] = best && next && best.length < next.length ? best : [];
      if (inner) return flawOfIssue(schema, value, inner, at);
      return { at, kind: 'value', says: saysOf(issue, valueAt(value, at)) };
    }
    default:
      return { at, kind: 'value', says: saysOf(issue, valueAt(value, at)) };
  }
}

function saysOf(issue: Issue | undefined, value: unknown): string {
  switch (issue?.code) {
    case 'invalid_type':
      if (value === undefined) return 'is missing';
      return `must be ${wantedWords[issue.expected] ?? issue.expected}, not ${shown(value, issue.expected)}`;
    case 'too_small':
      if (issue.origin !== 'string') return `must be at least ${issue.minimum}, not ${shown(value)}`;
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`;
    case 'too_big':
      if (issue.origin !== 'string') return `must be at most ${issue.maximum}, not ${shown(value)}`;
      return `must have at most ${issue.maximum} characters`;
    case 'invalid_value':
      return `must be ${listed(issue.values.map(String))}, not ${value === undefined ? 'left out' : shown(value, 'number')}`;
    case 'invalid_format':
      if (isOurs(issue)) return issue.message;
      return issue.format === 'url' ? 'must be a URL' : 'has characters that may not stand there';
    default:
      return issue && isOurs(issue) ? issue.message : 'is not what it should be';
  }
}

/** Said by the schema, not by zod. */
const isOurs = ({ message }: Issue) => /^(must|needs) /.test(message);

const wantedWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const shownChars = 40;

function shown(value: unknown, wanted?: string): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return wanted === 'string' && typeof value === 'number' ? 'a number' : String(value);
  if (wanted !== 'number' && wanted !== 'int' && wanted !== 'boolean') return 'a text';
  return JSON.stringify(value.length > shownChars ? `${value.slice(0, shownChars)}…` : value);
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** `limits.turnMs`, `origins[0]`. */
export const pathOf = (at: readonly PropertyKey[]): string =>
  at
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');

function whatThereIs(key: string, keys: readonly string[]): string {
  const meant = nearest(key, keys);
  return meant === null ? `There are ${keys.join(', ')}.` : `Did you mean ${meant}?`;
}

/** Of the words, the one that is a slip of the pen away; null: none is. */
export function nearest(word: string, words: readonly string[]): string | null {
  const slips = words
    .map((other) => ({ other, slips: distance(word.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, slips }) => slips <= Math.max(1, Math.floor(Math.min(word.length, other.length) / 3)))
    .sort((a, b) => a.slips - b.slips);
  return slips[0]?.other ?? null;
}

/** How many letters are to be put in, left out, changed or swapped with the next. */
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

function valueAt(value: unknown, at: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of at) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return found;
}

/** The names that may stand there; none where any may. */
export function keysAt(schema: Schema, at: readonly PropertyKey[]): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [key, ...below] = at;
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
      return keysAt(def.innerType, at);
    case 'union':
      return [...new Set(def.options.flatMap((option) => keysAt(option, at)))];
    case 'array':
      return key === undefined ? [] : keysAt(def.element, below);
    case 'record':
      if (key !== undefined) return keysAt(def.valueType, below);
      return [...(def.keyType._zod.values ?? [])].map(String);
    case 'object': {
      if (key === undefined) return Object.keys(def.shape);
      const inner = def.shape[String(key)];
      return inner ? keysAt(inner, below) : [];
    }
    default:
      return [];
  }
}
