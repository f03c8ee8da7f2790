// The declaration of `spawn_agent`. There is nothing to run here: the runtime makes a sub-agent of such a call.
import { z } from 'zod';
import type { ToolDeclaration } from '../../machines/tool-declaration.ts';
import { inputFromZod } from './input-schema.ts';

const maxTaskChars = 32_768;

/** `agents`: the schema of the field that names one. */
const schema = <Agent extends z.ZodType>(agent: Agent) =>
  z.object({
    task: z
      .string()
      .min(1)
      .max(maxTaskChars)
      .describe('All that the agent needs to know: it does not see this conversation.'),
    agent,
    detached: z
      .boolean()
      .optional()
      .describe('True: it works on by itself, and this call has its result at once. By default you get its report.'),
  });

const anyAgent = z.string().min(1).max(64).optional();

/** `agent` left out: the first one that there is. */
export const spawnAgent = { name: 'spawn_agent', timeoutMs: 0, ...inputFromZod(schema(anyAgent)) } as const;

/** For a model that may hand tasks to these agents: their names, with what each is for. */
export function declareSpawnAgent(agents: ReadonlyMap<string, string>): ToolDeclaration {
  const list = [...agents].map(([name, purpose]) => `${name}: ${purpose}`).join('\n');
  const named = z
    .enum([...agents.keys()])
    .optional()
    .describe('Which agent; the first one by default.');
  return {
    name: spawnAgent.name,
    description: `Hands a task to another agent, which has a model and tools of its own. Agents:\n${list}`,
    parameters: inputFromZod(schema(named)).input,
  };
}
