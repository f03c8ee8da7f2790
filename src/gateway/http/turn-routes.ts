// The route that lists what runs.
import * as z from 'zod';
import { missingSchema, missingText, sessionQuery } from './common-schemas.ts';
import { route } from './route.ts';

const awaitedCallSchema = z.object({
  node: z.string(),
  name: z.string().nullable(),
  owner: z.string(),
  session: z.string().exactOptional(),
});

const activeCallSchema = z.object({
  node: z.string(),
  kind: z.enum(['tool-call', 'sub-agent']),
  name: z.string().nullable(),
  owner: z.string(),
  since: z.number(),
  state: z.enum(['running', 'stopping', 'asking', 'waiting']),
  waitsFor: awaitedCallSchema.nullable(),
  question: z.string().nullable(),
});

const activeTurnSchema = z.object({
  session: z.string(),
  turn: z.string(),
  agent: z.string().nullable(),
  parent: z.string().nullable(),
  owner: z.string(),
  since: z.number(),
  state: z.enum(['running', 'stopping']),
  phase: z.string(),
  calls: z.array(activeCallSchema),
  callCount: z.int(),
  modelCalls: z.int(),
});

export const turnRoutes = [
  route({
    method: 'GET',
    path: '/api/turns/active',
    operation: 'listActiveTurns',
    summary: 'Lists the turns that have not settled, in the sessions that the speaker may read.',
    access: 'speaker',
    kind: 'request',
    schemas: { query: sessionQuery },
    replies: {
      200: {
        description: `The turns, sub-agents included. ${missingText}`,
        schema: z.object({ turns: z.array(activeTurnSchema), missing: missingSchema }),
      },
    },
    async handle({ query: { session } }, { services, caller }) {
      const directory = await services.runtime.directory();
      if (session !== undefined) await directory.check('read', caller, session);
      const { turns, missing } = await directory.activeTurns(caller);
      return {
        status: 200,
        body: { turns: turns.filter((turn) => session === undefined || turn.session === session), missing },
      };
    },
  }),
];
