// The part of a server's input schema that arguments are held against here. What is left out, the server checks by itself.
//
// 1. Taken over is only what the table below names. Regular expressions, which formats are as well, and `uniqueItems` may take for ever; `$async` and `$id` would
//    change what a schema is.
// 2. What a reference leads to is a copy of its own, taken over in the same way: nothing that stands as a value is read as a schema.
// 3. A reference back to what it stands in is left out, so that no check goes round: it ends at the same depth for any arguments.
// 4. The parts are counted as a check meets them, references unfolded: each meets each value of the arguments once at most.
// 5. What is left out makes a schema take more, never less: behind `not` that would be the other way round, so it goes too.
import type { JsonSchema } from '../../machines/tool-declaration.ts';

/** What stands behind a word: a value; one schema or a list of them; schemas by names. */
type Behind = 'value' | 'schemas' | 'named';

const values = [
  ...['type', 'enum', 'const', 'required', 'nullable', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum'],
  ...['exclusiveMinimum', 'maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'],
];
const schemas = [
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'items', 'additionalItems', 'contains', 'propertyNames'],
  'additionalProperties',
];
const words = new Map<string, Behind>([
  ...values.map((word) => [word, 'value'] as const),
  ...schemas.map((word) => [word, 'schemas'] as const),
  ['properties', 'named'],
  ['dependencies', 'named'],
]);

/** Not taken over, so that a schema with one of them takes more than it says. */
const leftOut = [
  ...[
    'format',
    'pattern',
    'patternProperties',
    'uniqueItems',
    'prefixItems',
    'minContains',
    'maxContains',
    'dependentRequired',
  ],
  ...['dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef'],
];
/** What means something else without a word that is left out. */
const goWith: Readonly<Record<string, string>> = {
  additionalProperties: 'patternProperties',
  items: 'prefixItems',
  contains: 'minContains',
};
/** What would take less where a schema behind it takes more, with what stands in for it; null: nothing does. */
const loose: Readonly<Record<string, string | null>> = { not: null, if: null, oneOf: 'anyOf' };

/** Of one schema, as it is written and as it is unfolded. More is nothing that a person has written. */
const maxParts = 10_000;
/** Of a text, as long to look at as one value. */
const charsOfValue = 64;
const maxExcerptChars = 100;

export interface Checkable {
  readonly schema: Readonly<Record<string, unknown>>;
  /** How much of it a check meets: that often each value of the arguments is looked at, at most. */
  readonly parts: number;
}

/** How many values a value is made of; a long text is several. */
export function sizeOf(value: unknown): number {
  const found = [value];
  let size = 0;
  for (const one of found) {
    size += typeof one === 'string' ? 1 + one.length / charsOfValue : 1;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) found.push(inner);
  }
  return size;
}

/** By a JSON pointer. Throws where it leads nowhere. */
function targetOf(reference: string, root: unknown): unknown {
  const [start, ...steps] = reference.split('/');
  let target = root;
  for (const step of steps) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = Object.entries(target ?? {}).find(([key]) => key === name)?.[1];
  }
  if (start !== '#' || target === undefined)
    throw new Error(`its input schema refers to ${reference.slice(0, maxExcerptChars)}, which is not in it`);
  return target;
}

interface Copy {
  readonly copy: unknown;
  readonly parts: number;
  /** It takes exactly what the original does. */
  readonly isWhole: boolean;
}

const asItIs = (value: unknown): Copy => ({ copy: value, parts: sizeOf(value), isWhole: true });

/** Throws an Error with a sentence for a schema that refers to another document, or is too large when it is unfolded. */
export function checkable(root: JsonSchema): Checkable {
  /** By what is referred to; that it is being copied. */
  const copies = new Map<unknown, Copy | 'open'>();
  const $defs: Record<string, unknown> = {};
  let written = 0;
  const tooLarge = () => new Error(`its input schema has more than ${maxParts} parts, its references unfolded`);

  /** Null: back to what it stands in. */
  function refer(reference: string): Copy | null {
    const target = targetOf(reference, root);
    const known = copies.get(target);
    if (known) return known === 'open' ? null : known;
    copies.set(target, 'open');
    const taken = take(target);
    const name = `d${Object.keys($defs).length}`;
    $defs[name] = taken.copy;
    const copy = { ...taken, copy: `#/$defs/${name}` };
    copies.set(target, copy);
    return copy;
  }

  /** Null: it is left out. */
  function takeWord(word: string, value: unknown): Copy | null {
    if (word === '$ref' && typeof value === 'string') return refer(value);
    switch (words.get(word)) {
      case undefined:
        return null;
      case 'value':
        return asItIs(value);
      case 'named':
        return takeAll(value, (entries) => Object.fromEntries(entries));
      case 'schemas':
        return Array.isArray(value) ? takeAll(value, (entries) => entries.map(([, copy]) => copy)) : take(value);
    }
  }

  function takeAll(value: unknown, gather: (entries: readonly [string, unknown][]) => unknown): Copy {
    const all = Object.entries(value ?? {}).map(([name, schema]) => [name, take(schema)] as const);
    return {
      copy: gather(all.map(([name, { copy }]) => [name, copy])),
      parts: all.reduce((sum, [, { parts }]) => sum + parts, 1),
      isWhole: all.every(([, { isWhole }]) => isWhole),
    };
  }

  function take(schema: unknown): Copy {
    written++;
    if (written > maxParts) throw tooLarge();
    // `dependencies` may be lists of names
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return asItIs(schema);
    const taken: Record<string, unknown> = {};
    let parts = 1;
    let isWhole = !leftOut.some((word) => Object.hasOwn(schema, word));
    for (const [word, value] of Object.entries(schema)) {
      if (Object.hasOwn(schema, goWith[word] ?? '')) continue;
      const copy = takeWord(word, value);
      isWhole &&= copy?.isWhole ?? word !== '$ref';
      const as = copy?.isWhole === false && word in loose ? loose[word] : word;
      if (!copy || !as || (as !== word && Object.hasOwn(schema, as))) continue;
      taken[as] = copy.copy;
      parts += copy.parts;
    }
    return { copy: taken, parts, isWhole };
  }

  copies.set(root, 'open');
  const { copy, parts } = take(root);
  if (parts > maxParts) throw tooLarge();
  return { schema: { ...(copy as object), $defs }, parts };
}
