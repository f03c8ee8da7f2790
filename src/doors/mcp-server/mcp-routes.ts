// MCP over streamable HTTP: one address for all messages of a client.
//
// 1. From 2026-07-28 on each request stands alone, and closing its connection cancels it.
// 2. Up to 2025-11-25 a client starts a session, and cancels with a message. Closing a connection is no cancellation there: `onDisconnect` says what becomes of its turn.
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type RequestId,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { fieldsOf } from '../../core/collections/fields.ts';
import { atTimeOfDay } from '../../core/sources/time-of-day.ts';
import type { HttpServices } from '../../gateway/http/http-services.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { type HttpCall, type HttpReply, type HttpRoute, type RequestKind, route } from '../../gateway/http/route.ts';
import type { DoorSettings, TokenSettings } from '../door-turns/door-profiles.ts';
import { HttpSessions } from './http-sessions.ts';
import { type McpDoor, type McpEra, type McpSender, rpcErrorOf } from './mcp-request.ts';
import { createMcpServer } from './mcp-server.ts';
import { metadataRoutes, protectedResourceOf } from './protected-resource.ts';
import { sendWebResponse, webRequestOf } from './web-exchange.ts';

const sessionHeader = 'mcp-session-id';
const maxHeaderChars = 256;
const path = '/mcp';

/** Returns the routes of the door. */
export function createMcpRoutes(settings: DoorSettings, tokens: TokenSettings): readonly HttpRoute[] {
  const resource = protectedResourceOf(tokens);
  let opened: OpenDoor | null = null;
  const doorFor = ({ services }: HttpCall) => (opened ??= openDoor(settings, services));
  const shared = {
    path,
    access: 'speaker',
    door: {
      name: 'mcp',
      errorBody: (problem) => ({ jsonrpc: '2.0', id: null, error: rpcErrorOf(problem) }),
      challenge: resource ? `Bearer resource_metadata="${resource.metadataUrl}"` : undefined,
    },
    schemas: { headers: z.object({ [sessionHeader]: z.string().max(maxHeaderChars).optional() }) },
    replies: { 200: { description: 'Messages of MCP.', isStreamToo: true } },
    problems: ['not_found', 'missing_field', 'not_json', 'unsupported_media_type', 'body_too_large'],
  } as const satisfies Partial<HttpRoute>;
  return [
    route({
      ...shared,
      method: 'POST',
      operation: 'sendMcpMessage',
      summary: 'Takes messages of MCP, and replies with their answers.',
      kind: 'by_body',
      bodyKind: 'bytes',
      handle: ({ headers }, call) => receive(doorFor(call), headers[sessionHeader], call),
    }),
    route({
      ...shared,
      method: 'GET',
      operation: 'followMcpSession',
      summary: 'Sends what a session of MCP has to say beside the answers to its requests.',
      kind: 'stream',
      handle: ({ headers }, call) => follow(doorFor(call), headers[sessionHeader], call),
    }),
    route({
      ...shared,
      method: 'DELETE',
      operation: 'endMcpSession',
      summary: 'Ends a session of MCP: what its calls have started is stopped.',
      kind: 'cancel',
      handle: ({ headers }, call) => passOn(doorFor(call).sessions.find(headers[sessionHeader], call), call),
    }),
    ...(resource ? metadataRoutes(resource) : []),
  ];
}

interface OpenDoor {
  readonly sessions: HttpSessions;
  readonly modern: ReturnType<typeof createMcpHandler>;
}

function openDoor(settings: DoorSettings, services: HttpServices): OpenDoor {
  const door: McpDoor = { settings, services };
  const create = (era: McpEra) => createMcpServer(door, era, (ctx) => senderIn(ctx, era, door));
  return {
    sessions: new HttpSessions(door, () => create('legacy')),
    modern: createMcpHandler(() => create('modern'), { legacy: 'reject', responseMode: 'sse' }),
  };
}

/** The SDK passes on who has sent a request. Calls of one message share a request, and each has a connection of its own. */
const proofOf = (call: HttpCall, closeStream?: McpSender['closeStream']) => ({
  token: '',
  clientId: call.caller.speaker.id,
  scopes: [],
  extra: { call, closeStream } satisfies Proven,
});

interface Proven extends Record<string, unknown>, Pick<McpSender, 'closeStream'> {
  readonly call: HttpCall;
}

function senderIn({ http }: ServerContext, era: McpEra, { services }: McpDoor): McpSender {
  const extra = http?.authInfo?.extra;
  const { call, closeStream } = extra as Proven; // put there by `proofOf`
  const caller = { ...call.caller, connection: services.ids('mcp') };
  return { caller, response: era === 'modern' ? null : call.response, closeStream };
}

async function receive({ sessions, modern }: OpenDoor, id: string | undefined, call: HttpCall): Promise<HttpReply> {
  const body = parseBody(call);
  for (const message of Array.isArray(body) ? body : [body]) call.count(kindOf(message));
  call.response.setMaxListeners(0); // each call of a batch watches for its end
  const request = webRequestOf(call);
  if (!(await isLegacyRequest(request, body))) {
    const answer = await modern.fetch(request, { parsedBody: body, authInfo: proofOf(call) });
    void sendWebResponse(answer, call);
    return null;
  }
  const transport = isInitializeRequest(body) ? await sessions.start(call) : sessions.find(id, call);
  return passOn(transport, call, request, body);
}

type Transport = ReturnType<HttpSessions['find']>;

async function passOn(
  transport: Transport,
  call: HttpCall,
  request = webRequestOf(call),
  body?: unknown,
): Promise<HttpReply> {
  // the requests of a batch share a stream: it is open until the last one is answered
  const closeStream = Array.isArray(body) ? undefined : (id: RequestId) => transport.closeSSEStream(id);
  const options = { authInfo: proofOf(call, closeStream), ...(body !== undefined && { parsedBody: body }) };
  void sendWebResponse(await transport.handleRequest(request, options), call);
  return null;
}

/** The stream ends with the token of its speaker. */
function follow({ sessions }: OpenDoor, id: string | undefined, call: HttpCall): Promise<HttpReply> {
  const transport = sessions.find(id, call);
  const { expiresAt, response, services } = call;
  if (expiresAt !== null) {
    const disarm = atTimeOfDay(services.clock, expiresAt, () => response.destroy());
    response.on('close', disarm);
  }
  return passOn(transport, call);
}

function parseBody({ bytes, request }: HttpCall): unknown {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new HttpProblem('unsupported_media_type');
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new HttpProblem('not_json', { message: 'The body is not JSON.', cause });
  }
}

const stops: readonly unknown[] = ['notifications/cancelled', 'tasks/cancel'];
/** Messages that run as long as what they ask for. */
const longMethods: readonly unknown[] = ['tools/call', 'tasks/result', 'subscriptions/listen'];

function kindOf(message: unknown): RequestKind {
  const { method } = fieldsOf(message);
  if (stops.includes(method)) return 'cancel';
  return longMethods.includes(method) ? 'stream' : 'request';
}
