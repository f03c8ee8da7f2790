// Copies the part of a server's input schema that arguments can be checked by in bounded time. The server checks the rest.
//
// 1. Only the keywords of schema-keywords.ts are copied. Regular expressions (formats are some too) and `uniqueItems` may take for ever; `$async`
//    and `$id` would change what a schema is.
// 2. The target of a reference is copied in the same way, once: nothing that stands as a value is read as a schema.
// 3. A reference back to what contains it is dropped, so that a check ends at the same depth for any arguments.
// 4. Parts are counted as a check meets them, references unfolded: each meets each value of the arguments at most once.
// 5. A copy accepts more than its original, never less: after `not` it would be the other way round, so `not` is dropped.
import type { JsonSchema } from '../../machines/tool-declaration.ts';
import { droppedKeywords, droppedWith, keywordKinds, loosened } from './schema-keywords.ts';
import { countValues } from './value-size.ts';

/** Of one schema, as written and as unfolded. No person writes more. */
const maxParts = 10_000;
const maxExcerptChars = 100;

export interface CheckableSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** How often, at most, a check looks at each value of the arguments. */
  readonly parts: number;
}

/**
 * Copies what can be checked of a schema.
 *
 * @throws Error whose message says why it cannot be used: it refers to another document, or is too large when it is unfolded.
 */
export function checkableSchema(root: JsonSchema): CheckableSchema {
  return new SchemaCopier(root).copyRoot();
}

interface Copy {
  readonly copy: unknown;
  readonly parts: number;
  /** The copy accepts exactly what the original does. */
  readonly isExact: boolean;
}

const exactCopy = (value: unknown): Copy => ({ copy: value, parts: countValues(value), isExact: true });
const tooLarge = () => new Error(`its input schema has more than ${maxParts} parts, its references unfolded`);

class SchemaCopier {
  readonly #root: JsonSchema;
  /** By their targets; `open` while the target is being copied. */
  readonly #references = new Map<unknown, Copy | 'open'>();
  readonly #definitions: Record<string, unknown> = {};
  #written = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  copyRoot(): CheckableSchema {
    this.#references.set(this.#root, 'open');
    const { copy, parts } = this.#copySchema(this.#root);
    if (parts > maxParts) throw tooLarge();
    // the root is an object, and so is its copy
    return { schema: { ...(copy as object), $defs: this.#definitions }, parts };
  }

  #copySchema(schema: unknown): Copy {
    this.#written++;
    if (this.#written > maxParts) throw tooLarge();
    // a schema may be a boolean; what stands after `dependencies` may be a list of names
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return exactCopy(schema);
    const copied: Record<string, unknown> = {};
    let parts = 1;
    let isExact = !droppedKeywords.some((keyword) => Object.hasOwn(schema, keyword));
    for (const [keyword, value] of Object.entries(schema)) {
      if (Object.hasOwn(schema, droppedWith[keyword] ?? '')) continue;
      const copy = this.#copyKeyword(keyword, value);
      isExact &&= copy?.isExact ?? keyword !== '$ref';
      const name = copy?.isExact === false && keyword in loosened ? loosened[keyword] : keyword;
      if (!copy || !name || (name !== keyword && Object.hasOwn(schema, name))) continue;
      copied[name] = copy.copy;
      parts += copy.parts;
    }
    return { copy: copied, parts, isExact };
  }

  /** Null: the keyword is dropped. */
  #copyKeyword(keyword: string, value: unknown): Copy | null {
    if (keyword === '$ref' && typeof value === 'string') return this.#copyReference(value);
    switch (keywordKinds.get(keyword)) {
      case undefined:
        return null;
      case 'value':
        return exactCopy(value);
      case 'named':
        return this.#copyAll(value, (entries) => Object.fromEntries(entries));
      case 'schemas':
        return Array.isArray(value)
          ? this.#copyAll(value, (entries) => entries.map(([, copy]) => copy))
          : this.#copySchema(value);
    }
  }

  #copyAll(value: unknown, collect: (entries: readonly [string, unknown][]) => unknown): Copy {
    const all = Object.entries(value ?? {}).map(([name, schema]) => [name, this.#copySchema(schema)] as const);
    return {
      copy: collect(all.map(([name, { copy }]) => [name, copy])),
      parts: all.reduce((sum, [, { parts }]) => sum + parts, 1),
      isExact: all.every(([, { isExact }]) => isExact),
    };
  }

  /** Null: it leads back to what contains it. */
  #copyReference(reference: string): Copy | null {
    const target = targetOf(reference, this.#root);
    const known = this.#references.get(target);
    if (known) return known === 'open' ? null : known;
    this.#references.set(target, 'open');
    const definition = this.#copySchema(target);
    const name = `d${Object.keys(this.#definitions).length}`;
    this.#definitions[name] = definition.copy;
    const copy = { ...definition, copy: `#/$defs/${name}` };
    this.#references.set(target, copy);
    return copy;
  }
}

/** The value that a JSON pointer leads to. Throws if there is none. */
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
