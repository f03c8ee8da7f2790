// Checks the marks of arguments that a tool wants repeated in HTTP headers. From MCP's revision 2026-07-28 on, a client over HTTP must not use a tool
// with a wrong mark.
import { fieldsOf } from '../../core/collections/fields.ts';

const mark = 'x-mcp-header';
const markedTypes: readonly unknown[] = ['string', 'integer', 'boolean'];
/** A name of a header, by RFC 9110. */
const headerName = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** The place of a schema: `none` if it describes no single argument. */
type Place = 'root' | 'property' | 'none';

/** The keywords whose value is a schema, or a list of schemas, in which a mark would name no single argument. */
const placelessSchemas = [
  'items',
  'prefixItems',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];
/** The keywords whose value is an object of such schemas by their names. */
const placelessMaps = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Returns what is wrong with the first wrong mark of an input schema; null: nothing. */
export const headerProblemOf = (inputSchema: unknown): string | null => problemBelow(inputSchema, 'root', new Set());

/** Returns what is wrong with the first wrong mark in a schema or below it. `names`: the names of headers so far, in lower case; it adds to them. */
function problemBelow(schema: unknown, place: Place, names: Set<string>): string | null {
  const fields = fieldsOf(schema);
  const own = Object.hasOwn(fields, mark) ? markProblem(fields, place, names) : null;
  if (own !== null) return own;
  for (const property of Object.values(fieldsOf(fields['properties']))) {
    const problem = problemBelow(property, place === 'none' ? 'none' : 'property', names);
    if (problem !== null) return problem;
  }
  const placeless = [
    ...placelessSchemas.flatMap((keyword) => fields[keyword] ?? []),
    ...placelessMaps.flatMap((keyword) => Object.values(fieldsOf(fields[keyword]))),
  ];
  for (const one of placeless) {
    const problem = problemBelow(one, 'none', names);
    if (problem !== null) return problem;
  }
  return null;
}

function markProblem(
  { [mark]: name, type }: Readonly<Record<string, unknown>>,
  place: Place,
  names: Set<string>,
): string | null {
  if (place !== 'property') return `its input schema has ${mark} outside of the properties of an object`;
  if (typeof name !== 'string' || !headerName.test(name)) return `the ${mark} of an argument is no name of a header`;
  if (!markedTypes.includes(type)) return `its argument with ${mark} ${name} is neither string, integer nor boolean`;
  if (names.has(name.toLowerCase())) return `two of its arguments have the ${mark} ${name}`;
  names.add(name.toLowerCase());
  return null;
}
