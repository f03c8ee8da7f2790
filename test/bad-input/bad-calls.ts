// HTTP requests that an OpenAPI document forbids, made of it: one wrong value, an unknown field, no JSON, another media type or a body that is too large.

type Json = Readonly<Record<string, unknown>>;

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Json;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface BadCall {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The codes that the problem may have. */
  readonly codes: readonly string[];
  /** The field that the problem names. */
  readonly field?: string;
}

const json = { 'content-type': 'application/json' };
const hugeChars = 70_000;

/** Returns every bad request of every operation for speakers. */
export function badCallsOf({ paths }: ApiDocument): readonly BadCall[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.length > 0 && path.startsWith('/api/'))
      .flatMap(([method, operation]) => [...callsOf(path, method.toUpperCase(), operation)]),
  );
}

function* callsOf(path: string, method: string, operation: Operation): Generator<BadCall> {
  const { operationId, parameters, requestBody } = operation;
  const good = { method, path: addressOf(path, parameters), headers: {} };
  const places = new Set(parameters.map((parameter) => parameter.in));
  for (const parameter of parameters)
    for (const value of wrongTexts(parameter.schema))
      if (parameter.in !== 'header' || value.trim() === value)
        // a header is trimmed
        yield badParameter(operationId, { path, method }, parameters, parameter, value);
  if (places.has('query'))
    for (const name of ['x', '__proto__', 'limits', 'x'.repeat(200)])
      yield {
        ...good,
        what: `${operationId} with ?${name.slice(0, 20)}`,
        path: `${good.path}?${name}=1`,
        codes: ['unknown_field'],
      };
  const schema = requestBody?.content['application/json']?.schema;
  if (schema) yield* badBodies(operationId, good, schema);
}

function badParameter(
  operation: string,
  { path, method }: Pick<BadCall, 'path' | 'method'>,
  parameters: readonly Parameter[],
  parameter: Parameter,
  value: string,
): BadCall {
  const { name, in: place } = parameter;
  const given = place === 'path' ? { [name]: value } : {};
  const query = place === 'query' ? `?${name}=${encodeURIComponent(value)}` : '';
  return {
    what: `${operation} with the ${place} ${name} ${JSON.stringify(value).slice(0, 30)}`,
    method,
    path: `${addressOf(path, parameters, given)}${query}`,
    headers: place === 'header' ? { [name]: value } : {},
    codes: ['bad_field', ...(place === 'path' ? ['not_found'] : [])],
    ...(place !== 'path' && { field: name }),
  };
}

function* badBodies(operation: string, good: Omit<BadCall, 'what' | 'codes'>, schema: Schema): Generator<BadCall> {
  const least = leastBody(schema);
  const withBody = (what: string, body: string, codes: readonly string[], field?: string): BadCall => ({
    ...good,
    what: `${operation} with ${what}`,
    headers: json,
    body,
    codes,
    ...(field !== undefined && { field }),
  });
  for (const [name, type] of Object.entries(schema.properties ?? {}))
    for (const value of wrongValues(type))
      yield withBody(`${name} ${JSON.stringify(value).slice(0, 30)}`, JSON.stringify({ ...least, [name]: value }), [
        'bad_field',
      ]);
  for (const name of ['x', 'owner', 'constructor', 'x'.repeat(200)])
    yield withBody(`the field ${name.slice(0, 20)}`, JSON.stringify({ ...least, [name]: 1 }), ['unknown_field']);
  yield withBody('__proto__', `{"__proto__":{"as":"bob"}}`, ['unknown_field', 'missing_field']);
  for (const name of schema.required ?? [])
    yield withBody(`no ${name}`, JSON.stringify({ ...least, [name]: undefined }), ['missing_field', 'bad_field'], name);
  for (const body of ['{', 'null', '[]', '1', '"x"', '{"a":1}}', '\u0000', `${'['.repeat(20_000)}`])
    yield withBody(`the body ${body.slice(0, 20)}`, body, ['not_json', 'bad_field', 'missing_field']);
  yield withBody('a body that is too large', JSON.stringify({ ...least, x: 'x'.repeat(hugeChars) }), [
    'body_too_large',
  ]);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x'])
    yield { ...withBody(type, JSON.stringify(least), ['unsupported_media_type']), headers: { 'content-type': type } };
}

/** Returns an address that is good, but for what is given. */
const addressOf = (
  path: string,
  parameters: readonly Parameter[],
  given: Readonly<Record<string, string>> = {},
): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const pattern = parameters.find((parameter) => parameter.name === name)?.schema.pattern ?? '';
    const value = name === 'session' ? 'pit' : pattern.includes('{64}') ? 'a'.repeat(64) : 'turn_1';
    return encodeURIComponent(given[name] ?? value);
  });

/** The schema of a value beside null, and whether null is one. */
function orNull(schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  const { type: given = [] } = schema;
  const types = typeof given === 'string' ? [given] : given;
  const { anyOf = types.map((type) => ({ ...schema, type })) } = schema;
  return {
    schema: anyOf.find(({ type }) => type !== 'null') ?? schema,
    isNullable: anyOf.some(({ type }) => type === 'null'),
  };
}

/** The fields that a body needs. */
function leastBody({ properties = {}, required = [], oneOf }: Schema): Json {
  const names = [...required, ...(oneOf?.[0]?.required ?? [])];
  return Object.fromEntries(
    names.map((name) => {
      const { type, minimum = 1 } = orNull(properties[name] ?? {}).schema;
      return [name, type === 'string' ? 'pit' : minimum];
    }),
  );
}

/** Texts that a parameter may not be. */
function wrongTexts({
  type,
  enum: words,
  const: word,
  minLength,
  maxLength,
  minimum,
  maximum,
  pattern,
}: Schema): string[] {
  if (type === 'integer')
    return [
      'x',
      '-1',
      '1.5',
      '1e3',
      '0x1',
      ' 1',
      '',
      '9'.repeat(40),
      ...(minimum === 1 ? ['0'] : []),
      ...(maximum === undefined ? [] : [String(maximum + 1)]),
    ];
  if (type === 'boolean') return ['x', '2', '', 'truth'];
  if (words || word !== undefined) return ['x', '', `${String(words?.[0] ?? word)}x`];
  return [
    ...(minLength === undefined ? [] : ['']),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : ['a b', '\u00e4']),
  ];
}

/** Values that a field of a body may not have. */
function wrongValues(given: Schema): unknown[] {
  const { schema, isNullable } = orNull(given);
  const { type, enum: words, maxLength, minLength, minimum, maximum } = schema;
  const others = { string: 'x', number: 1, boolean: true, object: {}, array: [] };
  const own = type === 'integer' ? 'number' : type;
  return [
    ...(isNullable ? [] : [null]),
    ...Object.entries(others).flatMap(([name, value]) => (name === own ? [] : [value])),
    ...(words ? ['no such word'] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minLength ? [''] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
  ];
}
