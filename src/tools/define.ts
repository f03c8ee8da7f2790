// Makes a tool of its parts: the schema becomes the check and the declaration, and what must be declared is asked for.
import { z } from 'zod';
import { assertDeclared, ToolDeclarationError } from './declaration.ts';
import { type CallInput, inputOf, inputOfJsonSchema } from './input.ts';
import {
  type CancelContract,
  defaultToolTimeoutMs,
  type JsonSchema,
  type Key,
  type Tool,
  type ToolContext,
  type ToolEnd,
} from './tool.ts';

export interface ToolDefinition<Schema, Input> {
  readonly name: string;
  readonly description: string;
  /** A zod object, or the JSON Schema of one (`run` then gets `unknown`). */
  readonly input: Schema;
  /** `exclusive`: alone among the calls of this tool in a session. See `Tool` for the rest. */
  readonly access: 'parallel' | 'exclusive' | ((input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => Key);
  readonly cancel: CancelContract;
  readonly effect: 'none' | 'some';
  /** Milliseconds; 0: never. Left out: `defaultToolTimeoutMs`. */
  readonly timeoutMs?: number;
  run(input: Input, context: ToolContext): Promise<ToolEnd | string>;
}

function callInput(name: string, schema: z.ZodObject | JsonSchema): CallInput<unknown> {
  try {
    const made = schema instanceof z.ZodObject ? inputOf(schema) : inputOfJsonSchema(schema);
    if (made.input['type'] !== 'object') throw new Error('it is not the schema of an object');
    return made;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolDeclarationError(`has an \`input\` schema that cannot be used: ${why}.`, {
      tool: name,
      field: 'input',
      cause: error,
    });
  }
}

/**
 * Throws `ToolDeclarationError` where a part is missing or wrong. The tool's own type of input stays in here: whoever runs it
 * passes to `access` and `run` what `parse` gave.
 */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema, z.output<Schema>>): Tool;
export function defineTool(definition: ToolDefinition<JsonSchema, unknown>): Tool;
export function defineTool(definition: ToolDefinition<z.ZodObject | JsonSchema, never>): Tool {
  const { name, description, access, cancel, effect, timeoutMs = defaultToolTimeoutMs } = definition;
  assertDeclared({ ...definition, timeoutMs });
  return {
    name,
    description,
    ...callInput(name, definition.input),
    access:
      access === 'exclusive'
        ? () => ({ scope: 'session', name: `tool:${name}` })
        : (access as 'parallel' | ((input: unknown, context: Pick<ToolContext, 'session' | 'roots'>) => Key)),
    cancel,
    effect,
    timeoutMs,
    run: (input, context) => definition.run(input as never, context),
  };
}
