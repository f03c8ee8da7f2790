// The fields that a record may have of an event or a context, and how each is bounded.
//
// 1. A text that people, models or tools have written becomes its length; its beginning is visible only if the embedder asks for texts.
// 2. Every other value is of a closed set, a number or an id, and is bounded: ids in length, lists in number.
import { fieldsOf } from '../core/collections/fields.ts';
import type { VisibleFields } from '../wire/inspection.ts';

export interface Visibility {
  /** `lengths`: no text that people, models or tools have written is visible. `texts`: its beginning is. */
  readonly data: 'lengths' | 'texts';
}

export const maxIdChars = 128;
export const maxTextChars = 1_024;
export const maxIds = 64;

/** Returns a field of a value whose shape is not known. */
export const field = (of: unknown, name: string): unknown => fieldsOf(of)[name];

/** Returns an id or a name of the configuration; null for any other value. */
export const idOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, maxIdChars) : null);

/** Picks an id. */
export const pickId = (name: string, value: unknown): VisibleFields => {
  const bounded = idOf(value);
  return bounded === null ? {} : { [name]: bounded };
};

/** Picks a list of ids, from an array or the keys of a map. */
export const pickIds = (name: string, value: unknown): VisibleFields => {
  const list = value instanceof Map ? [...value.keys()] : Array.isArray(value) ? value : null;
  if (!list) return {};
  const bounded = list.slice(0, maxIds).flatMap((each: unknown) => idOf(each) ?? []);
  return list.length > maxIds ? { [name]: bounded, [`${name}More`]: list.length - maxIds } : { [name]: bounded };
};

/** Picks a value of a closed set. */
export const pickOneOf = (closed: ReadonlySet<unknown>, name: string, value: unknown): VisibleFields =>
  closed.has(value) ? { [name]: value as string } : {}; // the closed sets are of strings

/** Picks a number. */
export const pickNumber = (name: string, value: unknown): VisibleFields =>
  typeof value === 'number' ? { [name]: value } : {};

/** Picks a flag that is set. */
export const pickTrue = (name: string, value: unknown): VisibleFields => (value === true ? { [name]: true } : {});

/** Picks the length of a text, and if `data` says so its beginning. */
export const pickText = (name: string, value: unknown, { data }: Visibility): VisibleFields => {
  if (typeof value !== 'string') return {};
  const length = { [`${name}Chars`]: value.length };
  return data === 'texts' ? { ...length, [name]: value.slice(0, maxTextChars) } : length;
};
