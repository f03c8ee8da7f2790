// The HTTP door: a Fastify application made of the declared routes. It listens nowhere: a server hands it requests.
import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { TrustedProxies } from '../client-address.ts';
import type { Gateway } from '../gateway.ts';
import type { OriginOptions } from '../upgrade-guard.ts';
import type { HttpServices } from './http-services.ts';
import { inspectorRoute } from './inspector-route.ts';
import { type MetricsSource, metricsRoute } from './metrics-route.ts';
import { OpenTurnStreams } from './open-turn-streams.ts';
import { openApiRoute } from './openapi-route.ts';
import { parseInput } from './parse-input.ts';
import { HttpProblem, problemMediaType, problemOfRuntime } from './problems.ts';
import { type Entered, hasLargeBody, RequestEntry } from './request-entry.ts';
import type { HttpReply, HttpRoute } from './route.ts';
import { builtinRoutes } from './route-groups.ts';
import { problemsOf, UndeclaredProblem } from './route-problems.ts';

export interface HttpOptions extends OriginOptions {
  /** Routes beside those built in. */
  readonly routes?: readonly HttpRoute[] | undefined;
  /** The metrics of `GET /metrics`. Left out: there is no such route. */
  readonly metrics?: MetricsSource | undefined;
}

/** Handles one request. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Names of sessions are up to 128 characters, each of which may take three in an address; a node's are shorter. */
const maxParamLength = 512;

/** Creates the application, and resolves with its handler. */
export async function createHttpApp(gateway: Gateway, options: HttpOptions): Promise<RequestHandler> {
  const { services } = gateway;
  const app = Fastify({
    bodyLimit: services.limits.frameBytes,
    routerOptions: { maxParamLength },
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) =>
      // its type has no route, like that of every reply here
      void sendProblem(reply as FastifyReply, problemOfError(error, services.report)),
  });
  const entry = new RequestEntry(services, gateway.authenticator, options);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, problemOfError(error, services.report)));
  const shared = { ...services, gateway, turnStreams: new OpenTurnStreams(services.clock) };
  const inspectorRoutes = gateway.inspector ? [inspectorRoute(gateway.inspector, gateway.closed)] : [];
  const routes = [...builtinRoutes, ...inspectorRoutes, ...(options.routes ?? []), ...metricsRoutes(gateway, options)];
  const all = [...routes, openApiRoute(routes)];
  for (const route of all) addRoute(app, route, entry, shared);
  app.setNotFoundHandler((request, reply) => onUnknownRoute(entry, all, request, reply));
  await app.ready();
  return (request, response) => app.routing(request, response);
}

/** Returns the route of the metrics, if there are any. */
function metricsRoutes({ authenticator }: Gateway, { metrics, trustedProxies }: HttpOptions): readonly HttpRoute[] {
  return metrics ? [metricsRoute(metrics, authenticator, new TrustedProxies(trustedProxies))] : [];
}

function addRoute(app: FastifyInstance, route: HttpRoute, entry: RequestEntry, services: HttpServices): void {
  const entered = new WeakMap<FastifyRequest, Entered>();
  const declared = problemsOf(route);
  app.route({
    method: route.access === 'anybody' ? [route.method, 'HEAD'] : route.method, // whoever watches the process may ask with HEAD
    url: route.path,
    ...(hasLargeBody(route) && { bodyLimit: services.limits.speakerByteBurst }),
    errorHandler(error, _request, reply) {
      const problem = problemOfError(error, services.report);
      if (!declared.get(problem.status)?.includes(problem.code)) services.report(new UndeclaredProblem(route, problem));
      return sendProblem(reply, problem, route);
    },
    async onRequest(request, reply) {
      entry.checkOrigin(request.raw, reply.raw);
      const one = await entry.enter(route, request.raw);
      if (reply.raw.destroyed) return one.release(); // its `close` has been emitted
      reply.raw.once('close', () => one.release());
      entered.set(request, one);
    },
    async handler(request, reply) {
      const one = entered.get(request);
      if (!one) return; // the client is gone
      const body = Buffer.isBuffer(request.body) ? request.body : null;
      const { params, query } = request;
      const input = parseInput(route, { params, query: withoutKey(query), headers: request.headers, body });
      const { caller, expiresAt, count } = one;
      const raw = { request: request.raw, response: reply.raw, bytes: body ?? noBytes };
      const call = { services, caller, expiresAt, count, ...raw };
      try {
        return await send(reply, await route.handle(input, call));
      } catch (error) {
        throw error instanceof HttpProblem ? error : problemOfRuntime(error);
      }
    },
  });
}

const noBytes = new Uint8Array();

/** The key of a gateway without tokens is no parameter of a route. */
function withoutKey(query: unknown): object {
  const { key: _, ...rest } = query as Record<string, unknown>; // Fastify parses it into an object
  return rest;
}

function send(reply: FastifyReply, answer: HttpReply): FastifyReply {
  if (answer === null) return reply.hijack();
  const { status, body, headers = {} } = answer;
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  if (body instanceof Uint8Array || typeof body === 'string') return reply.send(body);
  return reply.type('application/json').send(JSON.stringify(body));
}

/** A browser asks with OPTIONS whether a page may send its request; everything else has no route, or one with another method. */
function onUnknownRoute(
  entry: RequestEntry,
  routes: readonly HttpRoute[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  entry.checkOrigin(request.raw, reply.raw);
  if (request.method !== 'OPTIONS') {
    const [path = ''] = request.url.split('?', 1);
    const methods = routes.filter((route) => isPathOf(route, path)).map(({ method }) => method);
    if (methods.length === 0) throw new HttpProblem('not_found');
    reply.header('allow', methods.join(', '));
    throw new HttpProblem('method_not_allowed');
  }
  entry.replyToPreflight(reply.raw);
  return reply.code(204).send();
}

function isPathOf(route: HttpRoute, path: string): boolean {
  const [declared, asked] = [route.path.split('/'), path.split('/')];
  return (
    declared.length === asked.length &&
    declared.every((part, i) => (part.startsWith(':') ? asked[i] !== '' : part === asked[i]))
  );
}

function sendProblem(reply: FastifyReply, problem: HttpProblem, { door }: Partial<HttpRoute> = {}): FastifyReply {
  const { status, document } = problem;
  if (status === 429) reply.header('retry-after', '1');
  if (status === 401) reply.header('www-authenticate', door?.challenge ?? 'Bearer');
  if (door)
    return reply
      .code(status)
      .type('application/json')
      .send(JSON.stringify(door.errorBody(problem)));
  return reply.code(status).type(problemMediaType).send(JSON.stringify(document));
}

/** Errors of Fastify itself are those of a request that it cannot read. */
function problemOfError(error: unknown, report: (error: unknown) => void): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const { code, statusCode = 500, message } = error as { code?: string; statusCode?: number; message: string }; // Fastify throws errors only
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new HttpProblem('body_too_large');
  if (statusCode === 415) return new HttpProblem('unsupported_media_type'); // its header is no media type
  if (code === 'FST_ERR_BAD_URL')
    return new HttpProblem('bad_field', { message: 'The address has a % without two hexadecimal digits of UTF-8.' });
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new HttpProblem('bad_field', { message: 'A part of the address is too long.', limit: maxParamLength });
  if (statusCode < 500) return new HttpProblem('bad_field', { message });
  report(error);
  return new HttpProblem('request_failed');
}
