// A `fetch` on node:http and node:https, for model endpoints. It costs less than Node's own, and an abort destroys the socket in the same tick.
//
// 1. Redirects are not followed: the key and the conversation would go to an address that nobody has configured.
// 2. It has no timeouts of its own: whoever sends a request knows how long the model may think (silence-timer.ts).
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { fieldsOf } from '../../../core/collections/untrusted-fields.ts';
import { type ConnectionPool, sharedConnectionPool } from './connection-pool.ts';
import { type FetchRequest, readFetchRequest } from './fetch-request.ts';
import { createNodeResponse } from './node-response.ts';
import { TunnelAgent, type TunnelOptions } from './tunnel-agent.ts';

export type Fetch = typeof globalThis.fetch;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Creates a `fetch` whose connections come from `pool`. As the standard says, it rejects with the signal's reason after an abort, and with
 * a TypeError whose cause is the network's error.
 */
export function createHttpFetch(pool: ConnectionPool = sharedConnectionPool()): Fetch {
  return async (input, init) => {
    const request = readFetchRequest(input, init);
    request.signal?.throwIfAborted();
    try {
      const message = await send(request, pool);
      return responseTo(request, message);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}

/** A redirect that was not followed. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused';
  readonly code = 'ERR_REDIRECT_REFUSED';
}

/** Sends the request; once more if the server has closed a kept connection at the same moment. */
async function send(request: FetchRequest, pool: ConnectionPool): Promise<IncomingMessage> {
  const first = start(request, pool);
  try {
    return await first.response;
  } catch (error) {
    if (!isStale(first.sent, request, error)) throw error;
    return await start(request, pool).response;
  }
}

/** Whether a kept connection was closed before a response came. A stream cannot be sent again, and after an abort nothing is. */
function isStale(sent: ClientRequest, { body, signal }: FetchRequest, error: unknown): boolean {
  const { code } = fieldsOf(error);
  if (signal?.aborted || body instanceof Readable) return false;
  return sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

interface StartedRequest {
  readonly sent: ClientRequest;
  readonly response: Promise<IncomingMessage>;
}

function start({ method, url, headers, body, signal }: FetchRequest, pool: ConnectionPool): StartedRequest {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const requestByNode = url.protocol === 'https:' ? requestHttps : requestHttp;
  const agent = pool.agentFor(url);
  const connecting = agent instanceof TunnelAgent ? new AbortController() : null;
  const options: TunnelOptions = { method, headers, agent, ...(connecting && { connecting: connecting.signal }) };
  const sent = requestByNode(url, options);
  let response: IncomingMessage | null = null;
  // destroys the socket: while it connects, while the endpoint thinks, and while a body is read
  const destroy = () => {
    if (sent.socket === null) connecting?.abort();
    (response ?? sent).destroy(asError(signal?.reason));
  };
  signal?.addEventListener('abort', destroy);
  sent.on('response', (message) => {
    response = message;
    message.on('error', () => {}); // whoever reads the body gets it
    resolve(message);
  });
  sent.on('error', reject);
  sent.on('close', () => {
    signal?.removeEventListener('abort', destroy);
    reject(new Error('The connection was closed before a response arrived.'));
  });
  if (body instanceof Readable)
    pipeline(body, sent, () => {}); // an error of the body destroys `sent`
  else sent.end(body ?? undefined);
  return { sent, response: promise };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The request was aborted.', { cause: reason });
}

function responseTo({ url, method, redirect }: FetchRequest, message: IncomingMessage): Response {
  const { location } = message.headers;
  if (redirect !== 'manual' && location !== undefined && redirects.has(message.statusCode ?? 0)) {
    message.destroy();
    throw new RedirectRefused(
      `${url.origin} redirects to ${location}. Redirects are not followed: configure that address.`,
    );
  }
  return createNodeResponse(message, url, method);
}
