// The requests that streamable HTTP is made of, each a connection of its own: none is kept, no redirect is followed.
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { HttpServer } from './server-config.ts';
import { McpFailure, Unheard } from './transport.ts';

/** Each resolves with an answer that is one (2xx), or rejects with an `McpFailure`. Its signal closes the connection, also later. */
export interface Endpoint {
  post(message: JSONRPCMessage, signal: AbortSignal): Promise<IncomingMessage>;
  /** A stream; what comes after the event, where one is named. */
  get(after: string | null, signal: AbortSignal): Promise<IncomingMessage>;
  /** Ends the session, where there is one. */
  end(signal: AbortSignal): Promise<void>;
  /** From now on sent along. */
  setRevision(revision: string): void;
}

export const isEventStream = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';

/** Null: the body is longer. The connection is closed then. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const maxReasonBytes = 2_048;
const maxReasonChars = 300;

async function refusalOf(response: IncomingMessage, hasSession: boolean): Promise<McpFailure> {
  const { statusCode: status = 0, headers } = response;
  const text = (await readBody(response, maxReasonBytes).catch(() => null)) ?? '';
  if (status === 404 && hasSession) return new Unheard();
  if (status < 400) {
    const where = headers.location === undefined ? '' : ` to ${headers.location}`;
    return new McpFailure(`answers with a redirect${where}, which is not followed`, { code: 'mcp_unavailable' });
  }
  const message = `answered HTTP ${status}: ${text.slice(0, maxReasonChars)}`.replace(/: $/, '');
  return new McpFailure(message, { code: status === 401 || status === 403 ? 'mcp_unavailable' : 'mcp_failed' });
}

/** Nobody was there to be asked. */
const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

export function networkFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code ?? message;
  if (unreachable.includes(why))
    return new McpFailure(`cannot be reached (${why})`, { code: 'mcp_unavailable', cause: error });
  return new McpFailure(`broke the connection (${why})`, { code: 'mcp_lost', cause: error });
}

/** Throws a TypeError for a URL that is none. */
export function createEndpoint(server: HttpServer): Endpoint {
  const url = new URL(server.url);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const own: Record<string, string> = {};

  async function send(method: string, more: Record<string, string>, signal: AbortSignal, body = '') {
    const headers = { ...server.headers, ...own, ...more };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(url, { method, headers, signal, agent: false }, resolve);
      asked.on('error', reject);
      asked.end(body);
    }).catch((error) => {
      throw networkFailure(error);
    });
    response.on('error', () => {}); // told by the reading of it
    if ((response.statusCode ?? 0) >= 300) throw await refusalOf(response, 'mcp-session-id' in own);
    return response;
  }

  return {
    async post(message, signal) {
      const body = JSON.stringify(message);
      const about = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        accept: 'application/json, text/event-stream',
      };
      const response = await send('POST', about, signal, body);
      const session = response.headers['mcp-session-id'];
      if (typeof session === 'string') own['mcp-session-id'] = session;
      return response;
    },
    get: (after, signal) =>
      send('GET', { accept: 'text/event-stream', ...(after !== null && { 'last-event-id': after }) }, signal),
    async end(signal) {
      if ('mcp-session-id' in own) (await send('DELETE', {}, signal)).destroy();
    },
    setRevision(revision) {
      own['mcp-protocol-version'] = revision;
    },
  };
}
