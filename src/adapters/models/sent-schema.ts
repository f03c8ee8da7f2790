// The schema of a tool as endpoints take it: several refuse a whole request for one tool whose schema has alternatives at its top.
//
// What is lost is tested all the same: the tool itself reads the arguments by its own schema.
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import { fieldsOf, type UntrustedFields } from '../../core/collections/fields.ts';

/** Keywords that are refused at the top of a schema. */
const refusedAtTop = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const;

/** Returns the schema with the properties of its alternatives beside its own: required are those that each alternative requires. */
export function sentSchema(schema: JsonSchema): JsonSchema {
  if (!refusedAtTop.some((keyword) => schema[keyword] !== undefined)) return schema;
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, additionalProperties: _more, ...rest } = schema;
  const choices = [anyOf, oneOf].map((list) => partsOf(list, schema)).filter((parts) => parts.length > 0);
  const parts = partsOf(allOf, schema);
  const all = [schema, ...parts, ...choices.flat()];
  const names = new Set(all.flatMap((part) => Object.keys(fieldsOf(part['properties']))));
  const required = [
    ...[schema, ...parts].flatMap(requiredOf),
    ...choices.flatMap(([first, ...others]) =>
      first ? requiredOf(first).filter((name) => others.every((other) => requiredOf(other).includes(name))) : [],
    ),
  ];
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries([...names].map((name) => [name, propertyOf(name, all)])),
    required: [...new Set(required)],
  };
}

/** Returns the schemas of a list; those that are elsewhere in the whole schema in their place. */
const partsOf = (list: unknown, whole: JsonSchema): readonly UntrustedFields[] =>
  Array.isArray(list) ? list.map((part: unknown) => resolved(fieldsOf(part), whole)) : [];

function resolved(part: UntrustedFields, whole: JsonSchema): UntrustedFields {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(part['$ref'])) ?? [];
  return place === undefined || name === undefined ? part : fieldsOf(fieldsOf(whole[place])[name]);
}

const requiredOf = ({ required }: UntrustedFields): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** Returns the schema of a property: the alternatives, where it has several. */
function propertyOf(name: string, parts: readonly UntrustedFields[]): unknown {
  const schemas = new Map(
    parts.flatMap((part) => {
      const properties = fieldsOf(part['properties']);
      return Object.hasOwn(properties, name) ? [[JSON.stringify(properties[name]), properties[name]] as const] : [];
    }),
  );
  const [only, ...others] = schemas.values();
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}
