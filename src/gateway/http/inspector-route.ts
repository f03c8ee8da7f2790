// The route of the inspector's records: with tokens a moderator may read those of the sessions that it may read, without tokens everybody who has the key.
import * as z from 'zod';
import type { InspectionSource } from '../../wire/inspection-source.ts';
import { sessionName } from './common-schemas.ts';
import { sequenceNumber } from './event-routes.ts';
import { eventStreamMediaType } from './event-stream.ts';
import { InspectorStream } from './inspector-stream.ts';
import { HttpProblem } from './problems.ts';
import { type HttpRoute, type RouteDeclaration, route } from './route.ts';

/** How many requests may read at a time. */
const maxReaders = 16;

export const inspectorDeclaration = {
  method: 'GET',
  path: '/api/inspector/records',
  operation: 'readRecords',
  summary:
    'Streams what the actors and nodes of the runtime do, in the sessions that the speaker may read, and the connections of the gateway there.',
  access: 'speaker',
  kind: 'stream',
  schemas: {
    query: z.strictObject({ session: sessionName.optional(), after: sequenceNumber.optional() }),
    headers: z.object({ 'last-event-id': sequenceNumber.optional() }),
  },
  replies: {
    200: {
      description: 'A stream of server-sent events: start, record, alive and gap.',
      mediaType: eventStreamMediaType,
    },
  },
  problems: ['moderator_required', 'too_many_readers'],
} as const satisfies RouteDeclaration;

/** Makes the route. Its streams end when the gateway has closed. */
export function inspectorRoute(source: InspectionSource, gatewayClosed: Promise<void>): HttpRoute {
  const streams = new Set<InspectorStream>();
  void gatewayClosed.then(() => {
    for (const stream of streams) stream.finish();
  });
  return route({
    ...inspectorDeclaration,
    async handle({ query: { session = null, after }, headers }, { services, caller, expiresAt, response }) {
      const { proof } = caller;
      if (proof && !proof.speaker.roles.includes('moderator')) throw new HttpProblem('moderator_required');
      const directory = await services.runtime.directory();
      if (proof && session !== null) await directory.check('read', caller, session);
      if (streams.size >= maxReaders) {
        const message = `Too many readers of the inspector: ${streams.size} of ${maxReaders}. Close one first.`;
        throw new HttpProblem('too_many_readers', { message, limit: maxReaders });
      }
      const stream = new InspectorStream({
        response,
        clock: services.clock,
        expiresAt,
        session,
        caller,
        directory,
        report: services.report,
        after: headers['last-event-id'] ?? after ?? null,
        onClose: () => streams.delete(stream),
      });
      streams.add(stream);
      await stream.open(source);
      return null;
    },
  });
}
