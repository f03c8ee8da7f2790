// An HTTP server for a gateway that is attached to none: WebSocket upgrades, the page, and a health page.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from './gateway.ts';
import type { PageFiles } from './page-files.ts';
import { isLoopback } from './upgrade-guard.ts';
import { type AttachOptions, attach, defaultPath } from './ws.ts';

export interface ListenOptions extends AttachOptions {
  /** Default: 127.0.0.1. Another than a loopback one needs an authenticator with tokens. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface Listening {
  /** Like `ws://127.0.0.1:7077/belay`. */
  readonly url: string;
  readonly server: Server;
  /** Accepts no more connections; resolves when the server has none. */
  close(): Promise<void>;
}

/** How often connections without a whole request are looked for. */
const checkMs = 1_000;

/** Throws if anybody who reaches the port could connect. */
export function assertGuarded(host: string, authenticator: Gateway['authenticator']): void {
  if (authenticator.kind === 'local' && !isLoopback(host)) {
    throw new Error(
      `Without tokens the gateway listens on loopback only, and ${host} is not: configure tokens (a token file or signed tokens), or listen on 127.0.0.1.`,
    );
  }
}

/** Listens on a port; resolves when clients can connect. Rejects when the port is in use, or the host needs tokens. */
export async function listen(gateway: Gateway, options: ListenOptions): Promise<Listening> {
  const { host = '127.0.0.1', port, path = defaultPath } = options;
  assertGuarded(host, gateway.authenticator);
  const { helloMs } = gateway.limits;
  const timeouts = { headersTimeout: helloMs, requestTimeout: helloMs, connectionsCheckingInterval: checkMs };
  const page = new Page(path);
  const server = createServer(timeouts, (request, response) => {
    const isHealth = request.method === 'GET' && request.url === '/healthz';
    if (isHealth || request.url === path) return replyWithState(gateway, path, request, response);
    page.reply(request, response).then(
      (isReplied) => {
        if (!isReplied) replyWithState(gateway, path, request, response);
      },
      () => response.destroy(),
    );
  });
  const detach = attach(server, gateway, options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`,
    server,
    close() {
      detach();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
    },
  };
}

/** The page, which is loaded with the first request for one of its files. */
class Page {
  readonly #path: string;
  #files: Promise<PageFiles> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves with whether the request was for a file of the page, and has its reply. */
  async reply(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    this.#files ??= import('./page-files.ts').then(({ readPageFiles }) => readPageFiles(this.#path));
    const reply = (await this.#files).reply(request);
    if (!reply) return false;
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
    return true;
  }
}

function replyWithState(gateway: Gateway, path: string, request: IncomingMessage, response: ServerResponse): void {
  const isHealth = request.method === 'GET' && request.url === '/healthz';
  const status = isHealth ? (gateway.state === 'closing' ? 503 : 200) : request.url === path ? 426 : 404;
  const body = JSON.stringify({ status: isHealth ? gateway.state : 'this is a WebSocket server', path });
  if (status === 426) response.setHeader('upgrade', 'websocket');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${body}\n`);
}
