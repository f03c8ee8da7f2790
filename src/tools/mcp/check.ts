// Checks the arguments of a call by the JSON Schema that its server has given, as it stands: the whole of JSON Schema, nothing filled in.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchema, Tool } from '../tool.ts';

/** Where the keys are names and not words of JSON Schema. */
const namesOf = ['properties', '$defs', 'definitions', 'dependentSchemas'];
/** Where values are data. */
const data = ['enum', 'const', 'default', 'examples', 'required'];
/** Regular expressions of a stranger's, some of which never come to an end. The server checks by them itself. */
const patterns = ['pattern', 'patternProperties'];

type Entry = readonly [string, unknown];

function without(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(without);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([word]) => !patterns.includes(word));
  return Object.fromEntries(entries.map(([word, value]): Entry => [word, below(word, value)]));
}

function below(word: string, value: unknown): unknown {
  if (data.includes(word)) return value;
  if (!namesOf.includes(word) || typeof value !== 'object' || value === null) return without(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]): Entry => [name, without(schema)]));
}

const maxMessageChars = 500;

/** Throws for a schema that cannot be used: one that refers to another document, say. */
export function checkBy(schema: JsonSchema): Tool['parse'] {
  const { $id: _, ...rest } = without(schema) as Record<string, unknown>;
  const check = new AjvJsonSchemaValidator().getValidator<Record<string, unknown>>(rest);
  return (value) => {
    const { valid, data: input, errorMessage } = check(value);
    if (valid) return { ok: true, input };
    return { ok: false, message: errorMessage.replaceAll('data/', '').slice(0, maxMessageChars) };
  };
}
