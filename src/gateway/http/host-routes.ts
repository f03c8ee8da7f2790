// The routes for whoever runs the hosts of a store: they are listed, and drained.
import * as z from 'zod';
import type { Caller } from '../../core/session/api.ts';
import type { DrainReply } from '../../core/session/directory-api.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const maxHostChars = 300;

const hostSchema = z.object({
  host: z.string(),
  name: z.string(),
  pid: z.int().nullable(),
  state: z.enum(['living', 'draining', 'unreachable', 'gone']),
  isAsked: z.boolean(),
  sessions: z.int().nullable(),
  activeTurns: z.int().nullable(),
  lease: z.object({ ms: z.number(), ageMs: z.number() }).nullable(),
});

/** Throws for speakers who do not run the gateway. Without tokens everybody who has the key does. */
function assertRunsHosts({ proof }: Caller): void {
  if (!proof || proof.speaker.roles.some((role) => role === 'moderator' || role === 'emergency')) return;
  const message = 'The hosts are for speakers with the role moderator or emergency.';
  throw new HttpProblem('access_denied', { message, status: 403 });
}

/** Returns the host that drains. Throws for every other reply. */
function drainingHost(reply: DrainReply, wanted: string): { readonly host: string; readonly name: string } {
  switch (reply.type) {
    case 'drains':
    case 'known':
      return { host: reply.host, name: reply.name };
    case 'unknown':
      throw new HttpProblem('not_found', {
        message: `There is no host ${wanted} in the cluster. GET /api/hosts (belay hosts) lists them.`,
      });
    case 'ambiguous':
      throw new HttpProblem('bad_field', {
        field: 'host',
        message: `Several hosts are called ${wanted}. Name one by its id: ${reply.hosts.join(', ')}.`,
      });
    case 'unreachable':
      throw new HttpProblem('unavailable', { message: `The host ${reply.name} did not reply in time. Try again.` });
    case 'refused':
      throw new HttpProblem('unavailable', {
        message: `The host ${reply.name} does not drain when it is asked: only the program that it runs in has it drain.`,
      });
  }
}

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
          'The hosts whose lease was not ended. `isAsked`: it is this one. `draining`: it opens no session any more, and shuts down. `unreachable`: its lease runs, and it did not reply over the bus. `gone`: its lease has run out. `lease.ageMs`: since this host has seen a renewal. `null` is not known.',
        schema: z.object({ hosts: z.array(hostSchema) }),
      },
    },
    problems: [['access_denied', 403]],
    async handle(_, { services: { runtime }, caller }) {
      assertRunsHosts(caller);
      return { status: 200, body: { hosts: await (await runtime.directory()).hosts(caller) } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/hosts/drain',
    operation: 'drainHost',
    summary:
      'Has a host of the cluster give its sessions to the others, and shut down. For moderators and `emergency`, and without tokens for everybody who has the key.',
    access: 'speaker',
    kind: 'request',
    schemas: { body: z.strictObject({ host: z.string().min(1).max(maxHostChars) }) },
    replies: {
      202: {
        description: 'It drains. `isNew`: it has begun to.',
        schema: z.object({ host: z.string(), name: z.string(), isNew: z.boolean() }),
      },
    },
    problems: [['access_denied', 403], 'not_found', 'unavailable'],
    async handle({ body }, { services: { runtime }, caller }) {
      assertRunsHosts(caller);
      const directory = await runtime.directory();
      const reply = (await directory.drainHost?.(caller, body.host)) ?? { type: 'unknown' };
      return { status: 202, body: { ...drainingHost(reply, body.host), isNew: reply.type === 'drains' } };
    },
  }),
];
