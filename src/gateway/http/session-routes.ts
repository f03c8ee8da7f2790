// The routes that list sessions, and what runs in them.
import * as z from 'zod';
import { sessionName, wholeNumber } from './common-schemas.ts';
import { route } from './route.ts';

const listedSessionSchema = z.object({
  session: z.string(),
  title: z.string().nullable(),
  forkedFrom: z.object({ session: z.string(), turn: z.string() }).nullable(),
  state: z.enum(['awake', 'asleep']),
  activeTurns: z.int(),
});

const maxSessionsOfPage = 1_000;
const defaultSessionsOfPage = 100;

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions',
    operation: 'listSessions',
    summary: 'Lists the sessions that the speaker may read, or stop, in the order of their names.',
    access: 'speaker',
    kind: 'request',
    schemas: {
      query: z.strictObject({
        after: sessionName.optional(),
        action: z.enum(['read', 'cancel']).prefault('read'),
        state: z.literal('awake').optional(),
        limit: wholeNumber(1, maxSessionsOfPage).prefault(String(defaultSessionsOfPage)),
      }),
    },
    replies: {
      200: {
        description:
          'A page of sessions. `title` is the beginning of the first words that were said; null: there are none, or `action` is not `read`. `forkedFrom` is the session and the turn that it was forked from; null: it is no fork, or `action` is not `read`. `next` is the `after` of the next page; null: this is the last one.',
        schema: z.object({ sessions: z.array(listedSessionSchema), next: z.string().nullable() }),
      },
    },
    async handle({ query: { after = null, state = null, action, limit } }, { services, caller }) {
      const directory = await services.runtime.directory();
      return { status: 200, body: await directory.list(caller, { after, limit, action, state }) };
    },
  }),
];
