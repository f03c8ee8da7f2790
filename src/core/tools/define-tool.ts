// Makes a tool of its parts: the schema becomes the check and the declaration, and every part is checked.
import { z } from 'zod';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { ExclusiveKey, Tool, ToolContext } from '../contracts/tool.ts';
import { errorText } from '../text/error-text.ts';
import { assertDeclared, assertKnownFields, ToolDeclarationError } from './declaration-rules.ts';
import { type InputReader, inputFromJsonSchema, inputFromZod } from './input-schema.ts';

/** The parts of a tool (see `Tool`), with its own type of input. */
export interface ToolDefinition<Schema, Input> extends Omit<Tool<Input>, 'input' | 'parse' | 'access' | 'timeoutMs'> {
  /** A zod object, or the JSON Schema of one (`run` then gets `unknown`). */
  readonly input: Schema;
  /** `exclusive`: alone among the calls of this tool in a session. */
  readonly access:
    | 'parallel'
    | 'exclusive'
    | ((input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => ExclusiveKey);
  /** The timeout of a call. Left out: `default`. */
  readonly timeoutMs?: Tool<Input>['timeoutMs'] | undefined;
}

function inputFrom(name: string, schema: z.ZodObject | JsonSchema): InputReader<unknown> {
  try {
    const made = schema instanceof z.ZodObject ? inputFromZod(schema) : inputFromJsonSchema(schema);
    if (made.input['type'] !== 'object') throw new Error('it is not the schema of an object');
    return made;
  } catch (error) {
    throw new ToolDeclarationError(`has an \`input\` schema that cannot be used: ${errorText(error)}.`, {
      tool: name,
      field: 'input',
      cause: error,
    });
  }
}

/**
 * Defines a tool. Its type of input is not part of the result: the runtime calls it with what `parse` has returned. Throws
 * `ToolDeclarationError` if a part is missing or wrong.
 */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema, z.output<Schema>>): Tool;
export function defineTool(definition: ToolDefinition<JsonSchema, unknown>): Tool;
export function defineTool(definition: ToolDefinition<z.ZodObject | JsonSchema, unknown>): Tool {
  const { timeoutMs = 'default', ...parts } = definition;
  assertKnownFields(parts);
  assertDeclared({ ...parts, timeoutMs });
  const { name, access } = parts;
  return {
    ...parts,
    ...inputFrom(name, parts.input),
    access: access === 'exclusive' ? () => ({ scope: 'session', name: `tool:${name}` }) : access,
    timeoutMs,
  };
}
