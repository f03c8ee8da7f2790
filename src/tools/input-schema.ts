// The arguments of a call: one schema gives the check, the type, and the JSON Schema that the model is shown.
import { z } from 'zod';

import type { JsonSchema } from '../../machines/tool-declaration.ts';

export type ParseResult<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly message: string };

export interface CallInput<Input> {
  readonly input: JsonSchema;
  parse(value: unknown): ParseResult<Input>;
}

/** A model that got everything wrong is told so in a few lines. */
const maxProblems = 5;

/** `lines[0].text: Too big: expected string to have <=10 characters`. */
function formatIssue({ path, message }: z.core.$ZodIssue): string {
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return field === '' ? message : `${field.replace(/^\./, '')}: ${message}`;
}

function parseWith<Input>(schema: z.ZodType<Input>, value: unknown): ParseResult<Input> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, input: result.data };
  const { issues } = result.error;
  const more = issues.length > maxProblems ? [`and ${issues.length - maxProblems} more`] : [];
  return { ok: false, message: [...issues.slice(0, maxProblems).map(formatIssue), ...more].join('; ') };
}

export function inputFromZod<Input>(schema: z.ZodType<Input>): CallInput<Input> {
  // `input`: what the model has to write, so a field with a default is not required of it
  const { $schema: _, ...input } = z.toJSONSchema(schema, { io: 'input' });
  return { input, parse: (value) => parseWith(schema, value) };
}

/** Throws where the schema uses what zod cannot check (`if`/`then`, say), so that no tool runs on unchecked arguments. */
export function inputFromJsonSchema(input: JsonSchema): CallInput<unknown> {
  const schema = z.fromJSONSchema(input as Parameters<typeof z.fromJSONSchema>[0]);
  return { input, parse: (value) => parseWith(schema, value) };
}
