// Sends one HTTP GET to a checked address, with a limit of bytes. It is closed when the call is to stop.
import { addAbortListener } from 'node:events';
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { type AddressCheck, addressRefused, checkedLookup } from '../checked-lookup.ts';

export interface HttpGetOptions extends AddressCheck {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly isRedirect: boolean;
  /** The body; empty for a redirect, whose body is not read. */
  readonly body: Buffer;
}

const redirects = new Set([301, 302, 303, 307, 308]);

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ToolRefusal('too_large', `The response is longer than the limit of ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Sends a GET request, and closes its connection at the end.
 * @returns Rejects with the signal's reason when it fires, with a `ToolRefusal`, or with the network's error.
 */
export async function httpGet(url: URL, options: HttpGetOptions): Promise<HttpResponse> {
  const { signal, addresses, maxBytes } = options;
  signal.throwIfAborted();
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(hostname) !== 0 && !addresses.allows(hostname)) throw addressRefused(hostname, hostname); // an address is not looked up
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? requestHttps : requestHttp)({
    hostname,
    port: url.port,
    path: url.pathname + url.search,
    lookup: checkedLookup(options),
    agent: isSecure ? new HttpsAgent() : new HttpAgent(), // its own: no proxy of the host, no connection kept alive
    headers: {
      host: url.host,
      'user-agent': 'belay',
      accept: 'text/*, application/json, application/xml;q=0.9, */*;q=0.1',
      'accept-encoding': 'identity',
    },
  });
  let cause: unknown;
  const close = (reason: unknown) => {
    cause ??= reason;
    request.destroy();
  };
  using _ = addAbortListener(signal, () => close(signal.reason));
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      const address = socket.remoteAddress ?? '';
      if (!addresses.allows(address)) close(addressRefused(hostname, address)); // before anything was written
    });
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', reject);
      request.end();
    });
    response.on('error', () => {}); // reading the body rejects with it
    const { headers, statusCode: status = 0 } = response;
    const isRedirect = redirects.has(status) && headers.location !== undefined;
    return { status, headers, isRedirect, body: isRedirect ? Buffer.alloc(0) : await readBody(response, maxBytes) };
  } catch (error) {
    throw cause ?? error;
  } finally {
    request.destroy();
  }
}
