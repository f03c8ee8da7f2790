// The routes for a session as a whole: its export, and its deletion.
import { once } from 'node:events';
import { fieldsOf } from '../../core/collections/untrusted-fields.ts';
import { withheldFacts } from '../../wire/withheld-facts.ts';
import { sessionParams } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const withheld: ReadonlySet<string> = new Set(withheldFacts);

export const archiveRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions/:session/export',
    operation: 'exportSession',
    summary: 'Exports the facts of a session whole, one in each line.',
    access: 'speaker',
    kind: 'stream',
    schemas: { params: sessionParams },
    replies: {
      200: { description: 'The facts, in their order, each with its `seq`.', mediaType: 'application/x-ndjson' },
    },
    async handle({ params: { session } }, { services: { runtime }, caller, response }) {
      await (await runtime.directory()).check('read', caller, session);
      const facts = await runtime.exportSession(session, caller);
      if (facts === null) throw new HttpProblem('access_denied');
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-content-type-options': 'nosniff' });
      for await (const { seq, fact } of facts) {
        if (response.destroyed) break;
        if (withheld.has(fact.type)) continue;
        const hasRoom = response.write(`${JSON.stringify({ seq, ...fact })}\n`);
        if (!hasRoom) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
      return null;
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
    replies: { 204: { description: 'It is deleted.' } },
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
      return { status: 204 };
    },
  }),
];
