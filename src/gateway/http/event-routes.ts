// The routes that read the events of a session: page by page, or as a stream that goes on.
import * as z from 'zod';
import type { SequencedFact } from '../../../machines/facts.ts';
import type { FactPage } from '../../core/session/directory-api.ts';
import { factFrame } from '../event-frames.ts';
import { JoinedSession } from '../joined-session.ts';
import { sessionParams, wholeNumber } from './common-schemas.ts';
import { EventStream, wantsEvents } from './event-stream.ts';
import { HttpProblem } from './problems.ts';
import { type HttpCall, type HttpReply, route } from './route.ts';
import { openCodes } from './route-problems.ts';

const maxEventsOfPage = 1_000;
const defaultEventsOfPage = 200;

/** Any sequence number that there may be. */
export const sequenceNumber = wholeNumber(0, Number.MAX_SAFE_INTEGER);

const eventSchema = z.looseObject({ type: z.string(), session: z.string(), seq: z.int(), at: z.number() });

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions/:session/events',
    operation: 'readEvents',
    summary: 'Reads the facts of a session: a page of them, or, with Accept: text/event-stream, all that happens.',
    access: 'speaker',
    kind: 'stream',
    schemas: {
      params: sessionParams,
      query: z.strictObject({
        after: sequenceNumber.optional(),
        before: sequenceNumber.optional(),
        limit: wholeNumber(1, maxEventsOfPage).prefault(String(defaultEventsOfPage)),
      }),
      headers: z.object({ 'last-event-id': sequenceNumber.optional() }),
    },
    replies: {
      200: {
        description:
          'A page of facts. `next` is the `after` of the next page, with `before` that of the page before; null: there is none (yet). Or a stream.',
        schema: z.object({ events: z.array(eventSchema), next: z.int().nullable() }),
        isStreamToo: true,
      },
    },
    problems: [...openCodes, 'session_closing'],
    async handle({ params: { session }, query: { after, before = null, limit }, headers }, call) {
      const directory = await call.services.runtime.directory();
      const from = headers['last-event-id'] ?? after;
      if (!wantsEvents(call.request)) {
        const page = { after: from ?? 0, before, limit };
        const facts = await directory.readFacts(call.caller, session, page);
        const events = facts.map((fact) => factFrame(session, fact)).filter((frame) => frame !== null);
        return { status: 200, body: { events, next: nextPage(facts, page) } };
      }
      await directory.check('read', call.caller, session);
      return streamSession(session, from ?? null, call);
    },
  }),
];

/** Returns the place at which the next page starts: after the last fact of this one, or, backwards, before its first. Null: there is none. */
function nextPage(facts: readonly SequencedFact[], { after, before, limit }: FactPage): number | null {
  if (before !== null) {
    const first = facts[0]?.seq ?? 0;
    return first > after + 1 ? first : null;
  }
  return facts.length === limit ? (facts.at(-1)?.seq ?? null) : null;
}

/** Joins the session, and sends all its events until the client closes the stream. Rejects with an `HttpProblem` if it cannot be joined. */
async function streamSession(session: string, after: number | null, call: HttpCall): Promise<HttpReply> {
  const { services, caller } = call;
  const { runtime, report } = services;
  const failed = Promise.withResolvers<never>();
  const stream = new EventStream(call, () => joined.abandon('lost').catch(report), after !== null);
  const { connection, speaker, proof } = caller;
  const sendError: ConstructorParameters<typeof JoinedSession>[0]['errors']['sendError'] = ({
    code,
    message,
    limit,
  }) => {
    if (!stream.hasStarted) return failed.reject(new HttpProblem(code, { message, limit }));
    stream.outbox.frame(JSON.stringify({ type: 'error', session, code, message }));
  };
  const joined = new JoinedSession(
    { runtime, connection, speaker, proof, outbox: stream.outbox, errors: { sendError }, report },
    { type: 'JOIN', ref: 'events', session, ...(after !== null && { after }) },
    null,
    { onSessionOver: () => void (stream.hasStarted && stream.endStream()) },
  );
  await Promise.race([joined.waitForReply(), failed.promise]);
  return null;
}
