// Checks the arguments of a call by the input schema of its server. No default is filled in.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchema } from '../../machines/tool-declaration.ts';
import type { Tool } from '../tools/tool.ts';
import { checkableSchema } from './argument-schema.ts';
import { countValues } from './value-size.ts';

const maxMessageChars = 500;
/** Steps of one check, which blocks the event loop: a part of a second. Larger arguments are left to the server. */
const maxSteps = 200_000;

/** Returns the check of a tool's arguments. Throws an Error for a schema that cannot be used: one that refers to another document, say. */
export function createArgumentsCheck(given: JsonSchema): Tool['parse'] {
  const { schema, parts } = checkableSchema(given);
  const check = new AjvJsonSchemaValidator().getValidator<Record<string, unknown>>({ ...schema });
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { ok: false, message: 'The arguments must be an object.' };
    if (parts * countValues(value) > maxSteps) return { ok: true, input: value };
    const { valid, data: input, errorMessage } = check(value);
    if (valid) return { ok: true, input };
    return { ok: false, message: errorMessage.replaceAll('data/', '').slice(0, maxMessageChars) };
  };
}
