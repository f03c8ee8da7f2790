// The tools of the door: one for each profile, with what goes in and what comes out.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { effects, outcomeKinds } from '../../../machines/vocabulary.ts';
import { sessionName } from '../../gateway/http/common-schemas.ts';
import { saySchema } from '../../wire/client-frames.ts';
import { type DoorProfile, type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';
import type { BelayField } from '../door-turns/turn-outcome.ts';

export const agentInputSchema = z.strictObject({
  prompt: saySchema.shape.text.describe('What the agent is to do, in words.'),
  session: sessionName
    .describe('The session to go on in, as an earlier answer has named it. Left out: a new one.')
    .optional(),
});
export type AgentInput = z.output<typeof agentInputSchema>;

const call = z.object({
  node: z.string(),
  name: z.string(),
  outcome: z.string().nullable().describe('Null: it has not settled.'),
  code: z.string().optional(),
});

const agentOutputSchema = z.object({
  text: z.string().describe('What the agent has answered.'),
  session: z.string().describe('The session that it was in. Name it to go on.'),
  turn: z.string().nullable().describe('Null: the words have opened no turn.'),
  outcome: z.enum(outcomeKinds),
  effect: z.enum(effects).describe('What it may have done in the world.'),
  code: z.string().optional().describe('Why it has failed.'),
  calls: z.array(call).describe('The calls of its tools, those of sub-agents included.'),
  receipt: z
    .looseObject({})
    .nullable()
    .describe('What became of each node that a stop has stopped. Null: nobody has stopped it.'),
});

/** The structured content of an answer. */
export interface AgentOutput extends Omit<BelayField, 'turn' | 'receipt'> {
  readonly text: string;
  readonly turn: string | null;
  readonly receipt: object | null;
}

/** The SDK takes it as the JSON of an object. */
type ObjectSchema = Tool['inputSchema'];
const objectSchema = (schema: z.ZodObject) => z.toJSONSchema(schema, { io: 'input' }) as ObjectSchema; // it is that of an object
const inputSchema = objectSchema(agentInputSchema);
const outputSchema = objectSchema(agentOutputSchema);

/** Returns the tools for a speaker: the profiles that it may choose. */
export const toolsFor = (settings: DoorSettings, speaker: string, hasTasks: boolean): Tool[] =>
  [...profilesFor(settings, speaker)].map(([name, profile]) => ({
    name,
    title: name,
    description: profile.description ?? defaultDescription(profile),
    inputSchema,
    outputSchema,
    annotations: { readOnlyHint: false, openWorldHint: true },
    ...(hasTasks && { execution: { taskSupport: 'optional' as const } }),
  }));

const defaultDescription = ({ tools }: DoorProfile): string => {
  const own = tools ? `its own tools (${tools.join(', ')})` : 'its own tools';
  return `An agent of Belay: does what the prompt says, with ${own}, and replies with its last words. Cancelling the call stops everything that it has started.`;
};

/** Returns the result of a call. `isError`: the agent has failed. */
export const agentResult = (output: AgentOutput, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: output.text }],
  structuredContent: { ...output },
  ...(isError && { isError }),
});
