// Defines a tool: checks every part of its definition, and derives from the schema of its input what checks arguments and what the model reads.
import { z } from 'zod';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { ExclusiveKey, Tool, ToolContext } from '../contracts/tool.ts';
import { errorText } from '../text/error-text.ts';
import { assertDeclared, assertKnownFields, ToolDeclarationError } from './declaration-rules.ts';
import { type InputReader, inputFromJsonSchema, inputFromZod } from './input-schema.ts';

/** The parts of a tool (see `Tool`); `Input` is the type of the arguments that the schema describes. */
export interface ToolDefinition<Schema, Input> extends Omit<Tool<Input>, 'input' | 'parse' | 'access' | 'timeoutMs'> {
  /** A zod object, or the JSON Schema of an object (`run` then gets its arguments as `unknown`). */
  readonly input: Schema;
  /** `exclusive`: in a session, only one call of this tool runs at a time. */
  readonly access:
    | 'parallel'
    | 'exclusive'
    | ((input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => ExclusiveKey);
  /** The timeout of a call. Left out: `default`. */
  readonly timeoutMs?: Tool<Input>['timeoutMs'] | undefined;
}

function inputFrom(name: string, schema: z.ZodObject | JsonSchema): InputReader<unknown> {
  try {
    const reader = schema instanceof z.ZodObject ? inputFromZod(schema) : inputFromJsonSchema(schema);
    if (reader.input['type'] !== 'object') throw new Error('it is not the schema of an object');
    return reader;
  } catch (error) {
    throw new ToolDeclarationError(`has an \`input\` schema that cannot be used: ${errorText(error)}.`, {
      tool: name,
      field: 'input',
      cause: error,
    });
  }
}

/**
 * Defines a tool. The result does not have the type of the input: the runtime calls `run` with the value that `parse` has returned.
 *
 * @throws ToolDeclarationError if a part is missing or wrong.
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
