// The route that sets the timeout of a tool for the next calls of a session.
import * as z from 'zod';
import { setTimeoutSchema } from '../../wire/client-frames.ts';
import { keyHeader, sessionParams } from './common-schemas.ts';
import { asOwner } from './owner-command.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const { tool, ms } = setTimeoutSchema.shape;

export const timeoutRoutes = [
  route({
    method: 'POST',
    path: '/api/sessions/:session/timeouts',
    operation: 'setToolTimeout',
    summary:
      'Sets the timeout of a tool for the next calls of a session, in milliseconds; null: as it is configured. For the owner of the session, and moderators.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams, headers: keyHeader, body: z.strictObject({ tool, ms }) },
    replies: {
      200: {
        description: 'The timeout holds for the calls that start from now on.',
        schema: z.object({ session: z.string(), tool: z.string(), ms: z.number().nullable() }),
      },
    },
    problems: [['access_denied', 403], 'no_such_tool', 'timeout_out_of_range', 'ref_reused'],
    async handle({ params: { session }, headers, body }, call) {
      const { services, caller } = call;
      const request = { ...body, ref: headers['idempotency-key'] };
      const reply = await asOwner(session, call, () => services.runtime.setToolTimeout(session, caller, request));
      if (reply.type === 'ref_reused') throw new HttpProblem(reply.type, { field: 'idempotency-key' });
      if (reply.type === 'no_such_tool') throw new HttpProblem(reply.type, { field: 'tool' });
      if (reply.type === 'timeout_out_of_range') {
        const { type, limit, message } = reply;
        throw new HttpProblem(type, { field: 'ms', limit, message });
      }
      return { status: 200, body: { session, ...body } };
    },
  }),
];
