// Describes what is wrong with a value by its schema: one wording for settings, tokens, frames, and arguments of tools.
import * as z from 'zod';
import { nearestWord } from './nearest-word.ts';

export interface SchemaIssue {
  /** The path in the value. */
  readonly path: readonly PropertyKey[];
  /** `unknown`: there is no such field as the last of `path`; `key`: the name of a field is wrong; `value`: the value of a field is. */
  readonly kind: 'unknown' | 'key' | 'value';
  /** The words about a key or a value, to follow "it": `must be …`, `is missing`. About an unknown field, a sentence that names those that exist. */
  readonly text: string;
  /** The limit that the value has passed, if it is one. */
  readonly limit?: number;
}

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/**
 * Describes the first of the issues that a schema has found in a value. Its text repeats nothing of a value if a text is wanted, and no key
 * of the value: either may be a secret.
 */
export function describeIssue(schema: Schema, value: unknown, issues: readonly Issue[]): SchemaIssue {
  const [first] = issues;
  if (!first) return { path: [], kind: 'value', text: standardText };
  return describe(schema, value, issueOfField(issues, first), []);
}

/** A number may be past more than one limit: the narrowest comes last. A value of another type has no size that counts. */
function issueOfField(issues: readonly Issue[], first: Issue): Issue {
  if (first.code === 'invalid_type') return first;
  return issues.findLast(({ path }) => path.join() === first.path.join()) ?? first;
}

/** Describes the issues one by one, at most `max` of them, each as a line: `lines[0].text: must have at most 10 characters`. */
export function issueLines(schema: Schema, value: unknown, issues: readonly Issue[], max: number): readonly string[] {
  const more = issues.length > max ? [`and ${issues.length - max} more`] : [];
  return [...issues.slice(0, max).map((issue) => issueLine(describe(schema, value, issue, []))), ...more];
}

/** Formats an issue as a line that names its field. `root`: the name of the whole value, before the path. */
export function issueLine({ path, kind, text }: SchemaIssue, root = ''): string {
  const name = pathText(root === '' ? path : [root, ...path]);
  if (kind === 'unknown') return `${name}: there is no such field. ${text}`;
  if (name === '') return text;
  return `${name}: ${kind === 'key' ? 'its name ' : ''}${text}`;
}

function describe(schema: Schema, value: unknown, issue: Issue, above: readonly PropertyKey[]): SchemaIssue {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      return { path: [...path, key], kind: 'unknown', text: alternativesTo(key, keysAt(schema, path)) };
    }
    case 'invalid_key':
      return { path, kind: 'key', text: issueText(issue.issues[0], undefined) };
    case 'invalid_union': {
      const branches = [...issue.errors].sort((a, b) => a.length - b.length);
      const [best, next] = branches;
      // a value that fits one kind better than the others was meant to be of that kind
      const [inner] = best && next && best.length < next.length ? best : [];
      if (inner) return describe(schema, value, inner, path);
      return { path, kind: 'value', text: issueText(issue, valueAt(value, path)) };
    }
    case 'invalid_type':
      return { path, kind: 'value', text: typeText(issue, schema, path, valueAt(value, path)) };
    default:
      return { path, kind: 'value', text: issueText(issue, valueAt(value, path)), ...limitOf(issue) };
  }
}

/** zod says of a text that a number was wanted, also where only a whole one will do. */
function typeText(
  issue: Issue & { readonly code: 'invalid_type' },
  schema: Schema,
  path: readonly PropertyKey[],
  value: unknown,
): string {
  const text = issueText(issue, value);
  return schemasAt(schema, path).some(isOfIntegers) ? text.replace('be a number', 'be a whole number') : text;
}

const isOfIntegers = (schema: Schema): boolean => schema instanceof z.ZodNumber && schema.isInt;

function limitOf(issue: Issue): { readonly limit?: number } {
  if (issue.code === 'too_big') return { limit: Number(issue.maximum) };
  return issue.code === 'too_small' ? { limit: Number(issue.minimum) } : {};
}

function issueText(issue: Issue | undefined, value: unknown): string {
  if (issue && isCustom(issue, value)) return issue.message;
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
      return issue.format === 'url' ? 'must be a URL' : 'has characters that may not stand there';
    default:
      return standardText;
  }
}

/** Whether the message is the schema's own, not zod's for this kind of issue. */
function isCustom(issue: Issue, input: unknown): boolean {
  // zod makes a message from the raw issue: this one, with its input
  const standard = z.config().localeError?.({ ...issue, input } as z.core.$ZodRawIssue);
  return issue.message !== (typeof standard === 'object' ? standard?.message : standard);
}

const standardText = 'is not valid';

const wantedWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
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

/** Formats a path: `limits.turnMs`, `origins[0]`. */
export const pathText = (at: readonly PropertyKey[]): string =>
  at
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');

function alternativesTo(key: string, keys: readonly string[]): string {
  const meant = nearestWord(key, keys);
  return meant === null ? `There are ${keys.join(', ')}.` : `Did you mean ${meant}?`;
}

/** Returns what stands at a path; undefined if nothing does. */
export function valueAt(value: unknown, at: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of at) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return found;
}

/** Returns the names of the fields that a schema allows at a path; none if it allows any. */
export const keysAt = (schema: Schema, at: readonly PropertyKey[]): readonly string[] => [
  ...new Set(schemasAt(schema, at).flatMap(keysOf)),
];

function keysOf(schema: Schema): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod; // every schema of zod is one of these
  if (def.type === 'object') return Object.keys(def.shape);
  return def.type === 'record' ? [...(def.keyType._zod.values ?? [])].map(String) : [];
}

/** Returns the schemas that a value at a path may follow: several where a union stands above it. */
function schemasAt(schema: Schema, at: readonly PropertyKey[]): readonly Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod; // every schema of zod is one of these
  const [key, ...below] = at;
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
    case 'readonly':
      return schemasAt(def.innerType, at);
    case 'pipe':
      return schemasAt(def.out, at);
    case 'union':
      return def.options.flatMap((option) => schemasAt(option, at));
    case 'array':
      return key === undefined ? [schema] : schemasAt(def.element, below);
    case 'record':
      return key === undefined ? [schema] : schemasAt(def.valueType, below);
    case 'object': {
      if (key === undefined) return [schema];
      const inner = def.shape[String(key)];
      return inner ? schemasAt(inner, below) : [];
    }
    default:
      return key === undefined ? [schema] : [];
  }
}
