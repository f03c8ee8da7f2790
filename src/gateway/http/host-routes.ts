// The route that lists the hosts of a store, for whoever runs them.
import * as z from 'zod';
import type { Caller } from '../../core/session/api.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const hostSchema = z.object({
  host: z.string(),
  name: z.string(),
  pid: z.int().nullable(),
  state: z.enum(['living', 'unreachable', 'gone']),
  isAsked: z.boolean(),
  sessions: z.int().nullable(),
  activeTurns: z.int().nullable(),
  lease: z.object({ ms: z.number(), ageMs: z.number() }).nullable(),
});

/** Those who run a gateway; without tokens everybody who has the key. */
const mayListHosts = ({ proof }: Caller): boolean =>
  !proof || proof.speaker.roles.some((role) => role === 'moderator' || role === 'emergency');

export const hostRoutes = [
  route({
    method: 'GET',
    path: '/api/hosts',
    operation: 'listHosts',
    summary:
      'Lists the hosts that share the store, with what each holds. For moderators and `emergency`, and without tokens for everybody who has the key.',
    access: 'speaker',
    kind: 'request',
    schemas: {},
    replies: {
      200: {
        description:
          'The hosts whose lease was not ended. `isAsked`: it is this one. `unreachable`: its lease runs, and it did not reply over the bus. `gone`: its lease has run out. `lease.ageMs`: since this host has seen a renewal. `null` is not known.',
        schema: z.object({ hosts: z.array(hostSchema) }),
      },
    },
    problems: [['access_denied', 403]],
    async handle(_, { services: { runtime }, caller }) {
      if (!mayListHosts(caller)) {
        const message = 'The hosts are listed for speakers with the role moderator or emergency.';
        throw new HttpProblem('access_denied', { message, status: 403 });
      }
      return { status: 200, body: { hosts: await (await runtime.directory()).hosts(caller) } };
    },
  }),
];
