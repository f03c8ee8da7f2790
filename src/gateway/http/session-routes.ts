// The routes that list sessions, and what runs in them.
import * as z from 'zod';
import { causeSources, outcomeKinds, sessionStatuses } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { SessionQuery } from '../../core/session/directory-api.ts';
import { searchWords } from '../../core/text/search-words.ts';
import { removeSchema, renameSchema } from '../../wire/client-frames.ts';
import { maxSessionChars, maxTargetChars } from '../../wire/frame-limits.ts';
import { keyHeader, missingSchema, sessionParams, wholeNumber } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const listedSessionSchema = z.object({
  session: z.string(),
  title: z.string().nullable(),
  forkedFrom: z.object({ session: z.string(), turn: z.string() }).nullable(),
  lastAt: z.int().nullable(),
  status: z.enum(sessionStatuses).nullable(),
  state: z.enum(['awake', 'asleep']),
  activeTurns: z.int(),
});

const maxSessionsOfPage = 1_000;
const defaultSessionsOfPage = 100;
/** A cursor has a time and the name of a session. */
const maxCursorChars = maxSessionChars + 20;
const maxWordsChars = 200;
const time = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** What the request asks of one turn. */
const turnQuery = {
  words: z.string().max(maxWordsChars).optional(),
  speaker: removeSchema.shape.speaker.optional(),
  outcome: z.enum([...outcomeKinds, 'open']).optional(),
  tool: z.string().min(1).max(maxTargetChars).optional(),
  cause: z.enum(causeSources).optional(),
  since: time.optional(),
  until: time.optional(),
};

/** Returns the search for a turn; null: nothing is asked of one. Words without a letter or a digit ask for none. */
function turnSearchOf({
  words,
  ...rest
}: z.infer<z.ZodObject<typeof turnQuery>>): NonNullable<SessionQuery['turn']> | null {
  const all = searchWords(words ?? '');
  const turn = { ...rest, words: all.length > 0 ? all : undefined };
  return Object.values(turn).some((field) => field !== undefined) ? turn : null;
}

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions',
    operation: 'listSessions',
    summary:
      'Lists the sessions that the speaker may read, or stop. With the fields of a turn, those that have one turn that is all of it; `words` also finds the title of a session.',
    access: 'speaker',
    kind: 'request',
    schemas: {
      query: z.strictObject({
        after: z.string().min(1).max(maxCursorChars).optional(),
        order: z.enum(['name', 'newest']).prefault('name'),
        action: z.enum(['read', 'cancel']).prefault('read'),
        state: z.literal('awake').optional(),
        status: z.enum(sessionStatuses).optional(),
        ...turnQuery,
        limit: wholeNumber(1, maxSessionsOfPage).prefault(String(defaultSessionsOfPage)),
      }),
    },
    replies: {
      200: {
        description:
          'A page of sessions. `title` is what it was called, or else the beginning of the first words that were said; null: there are none, or `action` is not `read`. `lastAt` is the time of its last fact. `forkedFrom` is the session and the turn that it was forked from; null: it is no fork, or `action` is not `read`. `next` is the `after` of the next page; null: this is the last one. `missing` has the names of the hosts that did not reply in time.',
        schema: z.object({
          sessions: z.array(listedSessionSchema),
          next: z.string().nullable(),
          missing: missingSchema,
        }),
      },
    },
    async handle({ query }, { services, caller }) {
      const { after = null, state = null, status, order, action, limit, ...turn } = query;
      const directory = await services.runtime.directory();
      const wanted = { after, limit, action, state, order, status, turn: turnSearchOf(turn) };
      return { status: 200, body: await directory.list(caller, wanted) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:session/title',
    operation: 'renameSession',
    summary: 'Gives a session a title; null: its first words name it. For the owner of the session, and moderators.',
    access: 'speaker',
    kind: 'request',
    schemas: {
      params: sessionParams,
      headers: keyHeader,
      body: z.strictObject({ title: renameSchema.shape.title }),
    },
    replies: {
      200: {
        description: 'The title, as it is now.',
        schema: z.object({ session: z.string(), title: z.string().nullable() }),
      },
    },
    problems: [['access_denied', 403], 'ref_reused'],
    async handle({ params: { session }, headers, body: { title } }, { services: { runtime }, caller }) {
      await (await runtime.directory()).check('read', caller, session);
      const request = { title, ref: headers['idempotency-key'] };
      const reply = await runtime.renameSession(session, caller, request).catch((cause) => {
        const { code, message } = fieldsOf(cause);
        // the session is there for this speaker: it was checked
        if (code === 'access_denied') throw new HttpProblem(code, { message: String(message), status: 403, cause });
        throw cause;
      });
      if (reply.type === 'ref_reused') throw new HttpProblem(reply.type, { field: 'idempotency-key' });
      return { status: 200, body: { session, title: reply.renamed.title } };
    },
  }),
];
