// The route that says what a session has used.
import * as z from 'zod';
import { UsageFold } from '../../core/reports/session-usage.ts';
import { usageSchema } from '../../wire/fact-frames.ts';
import { sessionParams } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const usedSchema = z.object({ turns: z.int(), modelCalls: z.int(), calls: z.int(), usage: usageSchema });

export const usageRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions/:session/usage',
    operation: 'sessionUsage',
    summary: 'Adds up what a session has used: turns, model calls, calls, tokens and cost, agents included.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams },
    replies: {
      200: {
        description:
          "`session`: of all turns. `lastTurn`: of the speaker's last turn that called a model, with what is below it; null: there is none. `usage` as in `turn_ended`.",
        schema: z.object({ session: usedSchema, lastTurn: usedSchema.nullable() }),
      },
    },
    async handle({ params: { session } }, { services: { runtime }, caller }) {
      await (await runtime.directory()).check('read', caller, session);
      const facts = await runtime.exportSession(session, caller);
      if (facts === null) throw new HttpProblem('access_denied');
      const fold = new UsageFold(caller.speaker.id);
      for await (const { fact } of facts) fold.add(fact);
      return { status: 200, body: fold.read() };
    },
  }),
];
