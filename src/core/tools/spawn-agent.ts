// Declaration of `spawn_agent`. It has no `run`: the runtime makes a sub-agent of such a call.
import { z } from 'zod';
import type { ToolDeclaration } from '../../../machines/tool-declaration.ts';
import { inputFromZod } from './input-schema.ts';

const maxTaskChars = 32_768;

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

/** A call that names no agent gets the first one. */
export const spawnAgent = { name: 'spawn_agent', timeoutMs: 0, ...inputFromZod(schema(anyAgent)) } as const;

/** Declares `spawn_agent` to a model. `agents`: the purpose of each agent by its name. */
export function declareSpawnAgent(agents: ReadonlyMap<string, string>): ToolDeclaration {
  const list = [...agents].map(([name, purpose]) => `${name}: ${purpose}`).join('\n');
  const named = z
    .enum([...agents.keys()])
    .optional()
    .describe('Which agent; the first one by default.');
  return {
    name: spawnAgent.name,
    description: `Gives a task to another agent, which has a model and tools of its own. Agents:\n${list}`,
    parameters: inputFromZod(schema(named)).input,
  };
}
