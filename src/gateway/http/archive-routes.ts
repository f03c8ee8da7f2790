// The routes for a session as a whole: its export, its forks, and its deletion.
import { once } from 'node:events';
import * as z from 'zod';
import { quoteRules, remainsKinds } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Caller } from '../../core/session/api.ts';
import { forkSchema, removeSchema } from '../../wire/client-frames.ts';
import { forkOriginSchema } from '../../wire/fact-frames.ts';
import { type WithheldFact, withheldFacts } from '../../wire/withheld-facts.ts';
import { forkProblem } from '../command-replies.ts';
import { keyHeader, sessionParams } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';
import { openCodes } from './route-problems.ts';

/** What the host keeps for itself: it is given to those who run the gateway. */
const withheld: ReadonlySet<string> = new Set(withheldFacts);
/** What a provider alone may read again. `belay export` has it, from the store. */
const confidential: ReadonlySet<string> = new Set<WithheldFact>(['model_state']);

/** The types of facts that an export leaves out: fewer for a moderator, and, without tokens, for everybody who has the key. */
const leftOutFor = ({ proof }: Caller): ReadonlySet<string> =>
  !proof || proof.speaker.roles.includes('moderator') ? confidential : withheld;

/** The last line of an export that leaves facts out. It has no `seq`: it is no fact. */
const leftOutLine = (counts: ReadonlyMap<string, number>): string =>
  `${JSON.stringify({ type: 'left_out', facts: Object.fromEntries(counts) })}\n`;

const remainsSchema = z.enum(remainsKinds);

export const archiveRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions/:session/export',
    operation: 'exportSession',
    summary:
      'Exports the facts of a session, one in each line. A moderator, and without tokens everybody who has the key, gets those that the host withholds from members, too.',
    access: 'speaker',
    kind: 'stream',
    schemas: { params: sessionParams },
    replies: {
      200: {
        description:
          'The facts, in their order, each with its `seq`. If facts are left out, a last line of the type `left_out` has their number by their types, in `facts`.',
        mediaType: 'application/x-ndjson',
      },
    },
    async handle({ params: { session } }, { services: { runtime }, caller, response }) {
      await (await runtime.directory()).check('read', caller, session);
      const facts = await runtime.exportSession(session, caller);
      if (facts === null) throw new HttpProblem('access_denied');
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-content-type-options': 'nosniff' });
      const isLeftOut = leftOutFor(caller);
      const leftOut = new Map<string, number>();
      for await (const { seq, fact } of facts) {
        if (response.destroyed) break;
        if (isLeftOut.has(fact.type)) {
          leftOut.set(fact.type, (leftOut.get(fact.type) ?? 0) + 1);
          continue;
        }
        const hasRoom = response.write(`${JSON.stringify({ seq, ...fact })}\n`);
        if (!hasRoom) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end(leftOut.size > 0 ? leftOutLine(leftOut) : '');
      return null;
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:session/fork',
    operation: 'forkSession',
    summary: 'Makes a session that goes on from the end of a turn, with what had settled by then. The speaker owns it.',
    access: 'speaker',
    kind: 'request',
    schemas: {
      params: sessionParams,
      headers: keyHeader,
      body: forkSchema.omit({ type: true, session: true, ref: true }).extend({ ref: forkSchema.shape.ref.optional() }),
    },
    replies: {
      200: {
        description:
          'The fork: `fork` is its name, `turn` the id that the turn has in it, `repeated` whether it was there before, from the same request.',
        schema: z.object({
          session: z.string(),
          fork: z.string(),
          turn: z.string(),
          from: forkOriginSchema,
          by: z.string().nullable(),
          repeated: z.boolean(),
        }),
      },
    },
    problems: [...openCodes, 'turn_not_forkable', 'fork_too_large', 'session_exists', 'ref_reused'],
    async handle({ params: { session }, headers, body: { turn, to, ref } }, { services: { runtime }, caller }) {
      const reply = await runtime.forkSession(session, caller, { turn, to, ref: ref ?? headers['idempotency-key'] });
      if (reply.type !== 'forked') {
        const { code, ...details } = forkProblem(reply);
        throw new HttpProblem(code, details);
      }
      const { type: _, ...forked } = reply;
      return { status: 200, body: { session, ...forked } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:session',
    operation: 'deleteSession',
    summary: 'Deletes the facts and the blobs of a session for good. For its owner, and for moderators in it.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams },
    replies: {
      204: { description: 'It is deleted, and in no file of the store.' },
      200: {
        description:
          'It is deleted. Its bytes may remain in files of the store, as `remains` says; they are removed as soon as they can be.',
        schema: z.object({ session: z.string(), remains: remainsSchema }),
      },
    },
    problems: ['session_in_use', ['access_denied', 403]],
    async handle({ params: { session } }, { services: { runtime }, caller }) {
      await (await runtime.directory()).check('read', caller, session);
      try {
        if (!(await runtime.deleteSession(session, caller))) throw new HttpProblem('access_denied');
      } catch (cause) {
        const { code, message } = fieldsOf(cause);
        if (code === 'session_in_use') throw new HttpProblem(code, { message: String(message), cause });
        // the session is there for this speaker: it was checked
        if (code === 'access_denied') throw new HttpProblem(code, { message: String(message), status: 403, cause });
        throw cause;
      }
      const remains = await (await runtime.deletions()).purge();
      return remains === 'nothing' ? { status: 204 } : { status: 200, body: { session, remains } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/speakers/:speaker',
    operation: 'deleteSpeaker',
    summary:
      'Deletes a speaker: the sessions that they own, and in all others what they have said, with their name. For the speaker; without tokens for everybody who has the key.',
    access: 'speaker',
    kind: 'request',
    schemas: {
      params: z.strictObject({ speaker: removeSchema.shape.speaker }),
      query: z.strictObject({ quotes: z.enum(quoteRules).optional() }),
    },
    replies: {
      200: {
        description:
          'What became of it. `left`: sessions in which others have something running; the same request goes on with them. `quotes`: what models and tools wrote that may quote the speaker.',
        schema: z.object({
          pseudonym: z.string(),
          deleted: z.array(z.string()),
          redacted: z.array(z.object({ session: z.string(), facts: z.int() })),
          quotes: z.array(
            z.object({
              session: z.string(),
              seq: z.int(),
              type: z.string(),
              turn: z.string().nullable(),
              became: z.enum(['removed', 'kept']),
            }),
          ),
          left: z.array(z.string()),
          named: z.array(z.string()),
          remains: remainsSchema,
        }),
      },
    },
    problems: [['access_denied', 403]],
    async handle({ params: { speaker }, query: { quotes = 'own' } }, { services: { runtime }, caller }) {
      try {
        return { status: 200, body: await (await runtime.deletions()).deleteSpeaker(speaker, caller, quotes) };
      } catch (cause) {
        const { code } = fieldsOf(cause);
        if (code !== 'access_denied') throw cause;
        const message =
          'With tokens, a speaker is deleted by a request with their own token, and `quotes=all` by `belay delete` on the file of the store.';
        throw new HttpProblem(code, { message, status: 403, cause });
      }
    },
  }),
];
