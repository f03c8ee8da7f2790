// Parses the updates of an outside agent that are used: its text, its thoughts, its plan, its own tool calls, and the cost of its session.
import { z } from 'zod';

const textBlock = z.object({ type: z.literal('text'), text: z.string() });

/** Output of a tool call of the agent. Kinds that are not text or a diff are skipped one by one. */
const toolContent = z.union([
  z.object({ type: z.literal('content'), content: textBlock }),
  z.object({
    type: z.literal('diff'),
    path: z.string(),
    oldText: z.string().nullish(),
    newText: z.string(),
  }),
  z.unknown().transform(() => null),
]);
export type ToolContent = NonNullable<z.output<typeof toolContent>>;

const toolContents = z
  .array(toolContent)
  .nullish()
  .catch(null)
  .transform((contents) => contents?.filter((content) => content !== null) ?? null);

const toolFields = {
  toolCallId: z.string(),
  status: z.string().nullish().catch(null),
  content: toolContents,
  rawOutput: z.unknown().optional(),
};

const planEntry = z.object({ content: z.string(), status: z.string() });
export type PlanEntry = z.output<typeof planEntry>;

/** Other kinds, unknown ones among them, are skipped. */
const updateSchema = z.object({
  update: z.discriminatedUnion('sessionUpdate', [
    z.object({ sessionUpdate: z.literal('agent_message_chunk'), content: textBlock }),
    z.object({ sessionUpdate: z.literal('agent_thought_chunk'), content: textBlock }),
    z.object({ sessionUpdate: z.literal('plan'), entries: z.array(planEntry) }),
    z.object({ sessionUpdate: z.literal('tool_call'), title: z.string(), ...toolFields }),
    z.object({ sessionUpdate: z.literal('tool_call_update'), title: z.string().nullish(), ...toolFields }),
    z.object({
      sessionUpdate: z.literal('usage_update'),
      cost: z.object({ amount: z.number().min(0), currency: z.string() }),
    }),
  ]),
});
export type AgentUpdate = z.output<typeof updateSchema>['update'];
export type ToolCallUpdate = Extract<AgentUpdate, { readonly sessionUpdate: 'tool_call' | 'tool_call_update' }>;

/** Returns the update in the parameters of a `session/update`; null: it is of another kind, or does not fit the schema. */
export function parseUpdate(params: unknown): AgentUpdate | null {
  const parsed = updateSchema.safeParse(params);
  return parsed.success ? parsed.data.update : null;
}
