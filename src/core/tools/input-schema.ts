// Schema of a call's arguments: it gives the check, the type, and the JSON Schema for the model.
import { z } from 'zod';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { ParseResult } from '../contracts/tool.ts';
import { issueLines } from '../text/schema-issue.ts';

export interface InputReader<Input> {
  readonly input: JsonSchema;
  parse(value: unknown): ParseResult<Input>;
}

/** The issues that a message names; the others are counted. */
const maxIssues = 5;

function parseWith<Input>(schema: z.ZodType<Input>, value: unknown): ParseResult<Input> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, input: result.data };
  return { ok: false, message: issueLines(schema, value, result.error.issues, maxIssues).join('; ') };
}

/** Returns the check and the JSON Schema of a zod schema. In the JSON Schema a field with a default is not required. */
export function inputFromZod<Input>(schema: z.ZodType<Input>): InputReader<Input> {
  const { $schema: _, $ref, ...input } = z.toJSONSchema(schema, { io: 'input' });
  // zod defines a schema with an id beside the top, and endpoints want the object at the top
  const named = $ref === undefined ? undefined : input.$defs?.[$ref.slice('#/$defs/'.length)];
  return { input: { ...input, ...named }, parse: (value) => parseWith(schema, value) };
}

/** Returns the check of a JSON Schema. Throws if zod cannot check it (`if`/`then`, say): no tool runs on unchecked arguments. */
export function inputFromJsonSchema(input: JsonSchema): InputReader<unknown> {
  const schema = z.fromJSONSchema(input as Parameters<typeof z.fromJSONSchema>[0]); // its own type of a JSON Schema
  return { input, parse: (value) => parseWith(schema, value) };
}
