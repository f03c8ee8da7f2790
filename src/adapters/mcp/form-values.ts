// The values that a server asks a person for: their description, and how an answer is read by their schema.
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import { fieldsOf } from '../../core/collections/fields.ts';

export type FormValue = string | number | boolean | string[];
export type FormValues = Record<string, FormValue>;

export type FormReading =
  | { readonly ok: true; readonly values: FormValues }
  | { readonly ok: false; readonly problem: string };

interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'yes or no' | 'list';
  /** The only values; empty: any. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly about: string;
  readonly defaultValue: unknown;
}

/** Describes each value in a line: `name (text, required): Your full name`. */
export const describeForm = (schema: JsonSchema): string => fieldsIn(schema).map(describeField).join('\n');

/**
 * Reads an answer: a JSON object, `name=value` lines, or the value itself if only one is asked for. Values that are left out have their
 * default. The server checks the rest.
 */
export function readForm(text: string, schema: JsonSchema): FormReading {
  const fields = fieldsIn(schema);
  const given = givenValues(text, fields);
  if (typeof given === 'string') return { ok: false, problem: given };
  const values: FormValues = {};
  for (const field of fields) {
    const value = given[field.name] ?? field.defaultValue;
    if (value === undefined || value === '') {
      if (field.isRequired) return { ok: false, problem: `${field.name} is missing` };
      continue;
    }
    const read = readValue(value, field);
    if (read === null) return { ok: false, problem: `${field.name} must be ${expected(field)}` };
    values[field.name] = read;
  }
  return { ok: true, values };
}

function fieldsIn(schema: JsonSchema): readonly Field[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(fieldsOf(schema['properties'])).map(([name, property]) => {
    const { type, title, description, default: defaultValue, items } = fieldsOf(property);
    return {
      name,
      kind: kindOf(type),
      choices: choicesOf(type === 'array' ? items : property),
      isRequired: required.includes(name),
      isInteger: type === 'integer',
      about: String(description ?? title ?? ''),
      defaultValue,
    };
  });
}

function kindOf(type: unknown): Field['kind'] {
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'yes or no';
  return type === 'array' ? 'list' : 'text';
}

function choicesOf(property: unknown): readonly string[] {
  const { enum: values, oneOf, anyOf } = fieldsOf(property);
  const titled = [oneOf, anyOf]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((one) => fieldsOf(one)['const']);
  return [...(Array.isArray(values) ? values : []), ...titled].filter((one) => typeof one === 'string');
}

function describeField(field: Field): string {
  const { name, isRequired, about, defaultValue } = field;
  const rest =
    defaultValue === undefined ? (isRequired ? ', required' : '') : `, ${JSON.stringify(defaultValue)} if left out`;
  return `${name} (${expected(field)}${rest})${about === '' ? '' : `: ${about}`}`;
}

function expected({ kind, choices, isInteger }: Field): string {
  if (choices.length > 0) return `${kind === 'list' ? 'some' : 'one'} of ${choices.join(', ')}`;
  return isInteger
    ? 'a whole number'
    : { text: 'text', number: 'a number', 'yes or no': 'yes or no', list: 'a list' }[kind];
}

/** The values by name, or what is wrong. */
function givenValues(text: string, fields: readonly Field[]): Readonly<Record<string, unknown>> | string {
  if (/^\s*\{/.test(text)) {
    try {
      return fieldsOf(JSON.parse(text));
    } catch {
      return 'this is no valid JSON';
    }
  }
  const names = fields.map(({ name }) => name);
  const lines = text.split(/\n|;/).map((line) => line.trim());
  const pairs = lines.flatMap((line): [string, string][] => {
    const name = names.find((one) => line.startsWith(`${one}=`));
    return name === undefined ? [] : [[name, line.slice(name.length + 1).trim()]];
  });
  if (pairs.length > 0) return Object.fromEntries(pairs);
  const [only] = names;
  return names.length === 1 && only !== undefined
    ? { [only]: text.trim() }
    : 'write name=value, each on a line or after a ;';
}

/** Reads the value of a field; null: it is none of that kind. */
function readValue(value: unknown, { kind, choices, isInteger }: Field): FormValue | null {
  switch (kind) {
    case 'text': {
      const read = String(value);
      return choices.length === 0 || choices.includes(read) ? read : null;
    }
    case 'number': {
      const read = typeof value === 'number' ? value : Number(value);
      return Number.isFinite(read) && (!isInteger || Number.isInteger(read)) ? read : null;
    }
    case 'yes or no':
      return /^(true|yes|y)$/i.test(String(value)) ? true : /^(false|no|n)$/i.test(String(value)) ? false : null;
    case 'list': {
      const read = (Array.isArray(value) ? value : String(value).split(',')).map((one) => String(one).trim());
      return choices.length === 0 || read.every((one) => choices.includes(one)) ? read : null;
    }
  }
}
