// The keywords of JSON Schema that a check of arguments uses, and those that it leaves to the server.

/** What stands after a keyword: a value; one schema or a list of them; schemas by names. */
export type KeywordKind = 'value' | 'schemas' | 'named';

const valueKeywords = [
  ...['type', 'enum', 'const', 'required', 'nullable', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum'],
  ...['exclusiveMinimum', 'maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'],
];
const schemaKeywords = [
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'items', 'additionalItems', 'contains', 'propertyNames'],
  'additionalProperties',
];

/** The keywords that are copied, apart from `$ref`. */
export const keywordKinds: ReadonlyMap<string, KeywordKind> = new Map([
  ...valueKeywords.map((keyword) => [keyword, 'value'] as const),
  ...schemaKeywords.map((keyword) => [keyword, 'schemas'] as const),
  ['properties', 'named'],
  ['dependencies', 'named'],
]);

/** Keywords that are not copied: a schema with one of them accepts more without it. */
export const droppedKeywords = [
  ...['format', 'pattern', 'patternProperties', 'uniqueItems', 'prefixItems', 'minContains', 'maxContains'],
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['$dynamicRef', '$recursiveRef'],
];

/** Keywords whose meaning depends on a dropped one: they are dropped with it. */
export const droppedWith: Readonly<Record<string, string>> = {
  additionalProperties: 'patternProperties',
  items: 'prefixItems',
  contains: 'minContains',
};

/** Keywords that would accept less if a schema after them accepts more, with their replacement; null: they are dropped. */
export const loosened: Readonly<Record<string, string | null>> = { not: null, if: null, oneOf: 'anyOf' };
