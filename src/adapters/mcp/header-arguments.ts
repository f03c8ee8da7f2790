// Checks the marks by which a tool wants arguments repeated in headers: from 2026-07-28 on, a client over HTTP must not use a tool with a wrong one.
import { fieldsOf } from '../../core/collections/fields.ts';

const mark = 'x-mcp-header';
const markedTypes: readonly unknown[] = ['string', 'integer', 'boolean'];
/** A name of a header, by RFC 9110. */
const headerName = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** The keywords below which an argument has no place of its own. The values of the first are schemas, or lists of them; those of the second have schemas by names. */
const placelessSchemas =
  'items prefixItems contains unevaluatedItems additionalProperties unevaluatedProperties propertyNames oneOf anyOf allOf not if then else'.split(
    ' ',
  );
const placelessMaps = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Returns what is wrong with the first wrong mark of an input schema; null: nothing. */
export const headerProblemOf = (inputSchema: unknown): string | null => problemBelow(inputSchema, 'root', new Set());

/** `names`: of the headers so far, in small letters. */
function problemBelow(schema: unknown, place: 'root' | 'property' | 'none', names: Set<string>): string | null {
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
  place: 'root' | 'property' | 'none',
  names: Set<string>,
): string | null {
  if (place !== 'property') return `its input schema has ${mark} outside of the properties of an object`;
  if (typeof name !== 'string' || !headerName.test(name)) return `the ${mark} of an argument is no name of a header`;
  if (!markedTypes.includes(type)) return `its argument with ${mark} ${name} is neither string, integer nor boolean`;
  if (names.has(name.toLowerCase())) return `two of its arguments have the ${mark} ${name}`;
  names.add(name.toLowerCase());
  return null;
}
