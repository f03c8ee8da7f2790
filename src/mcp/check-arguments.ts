// Checks the arguments of a call by the JSON Schema that its server has given, nothing filled in.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchema } from '../../machines/tool-declaration.ts';
import type { Tool } from '../tools/tool.ts';
import { checkable, sizeOf } from './argument-schema.ts';

const maxMessageChars = 500;
/** One check may hold up the host for as long as this takes, a part of a second. Beyond it the server checks by itself. */
const maxSteps = 200_000;

/** Throws for a schema that cannot be used: one that refers to another document, say. */
export function checkBy(given: JsonSchema): Tool['parse'] {
  const { schema, parts } = checkable(given);
  const check = new AjvJsonSchemaValidator().getValidator<Record<string, unknown>>({ ...schema });
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { ok: false, message: 'The arguments must be an object.' };
    if (parts * sizeOf(value) > maxSteps) return { ok: true, input: value };
    const { valid, data: input, errorMessage } = check(value);
    if (valid) return { ok: true, input };
    return { ok: false, message: errorMessage.replaceAll('data/', '').slice(0, maxMessageChars) };
  };
}
