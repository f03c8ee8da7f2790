// A request of Node as the SDK reads it, and its response as Node sends it.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpCall } from '../../gateway/http/route.ts';
import { whenClosed } from './mcp-request.ts';

/** The SDK reads no address: one that cannot be parsed must not matter. */
const anyAddress = 'http://localhost/mcp';

/** Returns the request without its body. Its signal aborts when the client closes the connection before the end of the response. */
export function webRequestOf({ request, response }: HttpCall): Request {
  const closed = new AbortController();
  whenClosed(response, () => closed.abort('The client has closed the connection.'));
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  headers.delete('authorization'); // the gateway has checked it
  return new Request(anyAddress, { method: request.method ?? 'POST', headers, signal: closed.signal });
}

/** Sends a response as its body comes. Resolves when it is sent, or the client is gone. */
export async function sendWebResponse(sent: Response, { response }: HttpCall): Promise<void> {
  if (response.destroyed) return void (await sent.body?.cancel());
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
  response.writeHead(sent.status, Object.fromEntries(sent.headers));
  if (!sent.body) return void response.end();
  response.flushHeaders(); // a stream begins before its first message
  await pipeline(Readable.fromWeb(sent.body), response).catch(() => {}); // the client is gone: the body was cancelled
}
