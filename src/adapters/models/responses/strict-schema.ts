// Checks whether a schema may be sent with `strict`: the endpoint then makes the model keep to it. It refuses any other schema with `strict`.
import type { JsonSchema } from '../../../../machines/tool-declaration.ts';
import { fieldsOf } from '../../../core/collections/fields.ts';

/** What a strict schema may contain. */
const keywords: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'enum',
  'const',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);
const maxDepth = 5;

/** Whether a schema is strict: each object requires all of its properties and allows no other. */
export const isStrictSchema = (schema: JsonSchema): boolean => schema['type'] === 'object' && isStrict(schema, 0);

function isStrict(schema: unknown, depth: number): boolean {
  if (typeof schema !== 'object' || schema === null || depth > maxDepth) return false;
  const fields = fieldsOf(schema);
  if (!Object.keys(fields).every((name) => keywords.has(name))) return false;
  const { anyOf = [], items } = fields;
  if (!Array.isArray(anyOf) || !anyOf.every((one) => isStrict(one, depth + 1))) return false;
  if (items !== undefined && !isStrict(items, depth + 1)) return false;
  const isObject = fields['type'] === 'object' || fields['properties'] !== undefined;
  return !isObject || requiresAll(fields, depth);
}

function requiresAll(fields: Readonly<Record<string, unknown>>, depth: number): boolean {
  const { additionalProperties, required } = fields;
  const properties = Object.entries(fieldsOf(fields['properties']));
  if (additionalProperties !== false || !Array.isArray(required)) return false;
  return properties.every(([name, schema]) => required.includes(name) && isStrict(schema, depth + 1));
}
