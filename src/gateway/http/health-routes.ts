// The routes for whoever watches the process: whether it runs, and whether it takes work.
import * as z from 'zod';
import { type HttpCall, type HttpReply, route } from './route.ts';

const healthSchema = z.object({ status: z.enum(['open', 'full', 'draining', 'closing']) });

const healthOf = ({ services }: HttpCall, unhealthy: readonly string[]): HttpReply => {
  const { state } = services.gateway;
  return { status: unhealthy.includes(state) ? 503 : 200, body: { status: state } };
};

export const healthRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'Says whether the process runs and is not shutting down.',
    access: 'anybody',
    kind: 'request',
    replies: {
      200: { description: 'It runs.', schema: healthSchema },
      503: { description: 'It is shutting down.', schema: healthSchema },
    },
    handle: (_, call) => healthOf(call, ['closing']),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    operation: 'getReadiness',
    summary: 'Says whether more connections are accepted.',
    access: 'anybody',
    kind: 'request',
    replies: {
      200: { description: 'They are.', schema: healthSchema },
      503: {
        description: 'It is draining or shutting down, or as many connections are open as may be.',
        schema: healthSchema,
      },
    },
    handle: (_, call) => healthOf(call, ['closing', 'draining', 'full']),
  }),
];
