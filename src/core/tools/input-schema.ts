// Derives from the schema of a tool's input a function that checks arguments, their type, and the JSON Schema for the model.
import { z } from 'zod';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { ParseResult } from '../contracts/tool.ts';
import { issueLines } from '../text/schema-issue.ts';

export interface InputReader<Input> {
  /** The JSON Schema that the model reads. */
  readonly input: JsonSchema;
  parse(value: unknown): ParseResult<Input>;
}

/** The number of issues that a message names; it gives the number of the others. */
const maxIssues = 5;

function parseWith<Input>(schema: z.ZodType<Input>, value: unknown): ParseResult<Input> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, input: result.data };
  return { ok: false, message: issueLines(schema, value, result.error.issues, maxIssues).join('; ') };
}

/** Returns the reader of a zod schema. In its JSON Schema a field with a default is not required. */
export function inputFromZod<Input>(schema: z.ZodType<Input>): InputReader<Input> {
  const { $schema: _, $ref, ...input } = z.toJSONSchema(schema, { io: 'input' });
  // zod writes a schema that has an id into `$defs`, with a `$ref` at the top; endpoints need the object itself at the top
  const named = $ref === undefined ? undefined : input.$defs?.[$ref.slice('#/$defs/'.length)];
  return { input: { ...input, ...named }, parse: (value) => parseWith(schema, value) };
}

/** Returns the reader of a JSON Schema. Throws if zod cannot check everything that it demands, for example `if`/`then`: no tool runs on unchecked arguments. */
export function inputFromJsonSchema(input: JsonSchema): InputReader<unknown> {
  const schema = z.fromJSONSchema(input as Parameters<typeof z.fromJSONSchema>[0]); // zod has a narrower type for a JSON Schema
  return { input, parse: (value) => parseWith(schema, value) };
}
