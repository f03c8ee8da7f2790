// Serves a page on loopback, to which an authorization server sends the browser of a person with its answer.
import { createServer, type ServerResponse } from 'node:http';
import { listenOnPort } from '../servers/http-server.ts';

const path = '/callback';

export interface CallbackServer {
  /** The address of the page. */
  readonly url: string;
  /** Resolves with the parameters of the first answer that has this `state`. */
  receive(state: string): Promise<URLSearchParams>;
  close(): void;
}

/** Starts to serve the page. `port` 0: any that is free. `name`: of the MCP server. Rejects if the port is in use. */
export async function startCallbackServer(port: number, name: string): Promise<CallbackServer> {
  const received = Promise.withResolvers<URLSearchParams>();
  let expected: string | null = null;
  const server = createServer(({ url = '/', method }, response) => {
    const address = URL.parse(url, 'http://127.0.0.1');
    if (method !== 'GET' || address?.pathname !== path) return send(response, 404, 'There is nothing here.');
    const { searchParams } = address;
    if (expected === null || searchParams.get('state') !== expected)
      return send(
        response,
        400,
        'This answer is for another sign-in. Use the address that belay mcp login printed last.',
      );
    received.resolve(searchParams);
    const refused = searchParams.has('error') || !searchParams.has('code');
    send(
      response,
      200,
      refused
        ? 'The sign-in was refused. You may close this page.'
        : `You are signing in to ${name}. You may close this page.`,
    );
  });
  const bound = await listenOnPort(server, port, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${bound}${path}`,
    receive(state) {
      expected = state;
      return received.promise;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Responds with a page. It has nothing of the request, which is untrusted. */
function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><title>Belay</title><p>${text}</p>\n`);
}
