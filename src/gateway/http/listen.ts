// An HTTP server for a gateway that is attached to none: WebSocket upgrades, the page, and the HTTP door.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenOnPort } from '../../adapters/servers/http-server.ts';
import { loadOnce } from '../../core/collections/load-once.ts';
import { defaultPath } from '../../wire/frame-limits.ts';
import type { Gateway } from '../gateway.ts';
import { isLoopback } from '../upgrade-guard.ts';
import { type AttachOptions, attachSockets } from '../ws.ts';
import type { HttpOptions, RequestHandler } from './app.ts';
import type { PageFacts, PageFiles } from './page-files.ts';

export interface ListenOptions extends AttachOptions, HttpOptions {
  /** The address that it listens at. Default: 127.0.0.1. Another than a loopback one needs an authenticator with tokens. */
  readonly host?: string;
  /** The port that it listens at; 0: any free one. */
  readonly port: number;
  /** Hands the server its connections, which another process accepts at the port. Left out: the server listens itself. */
  readonly bind?: ((server: Server) => void) | undefined;
  /** Whether a script plays the model: the page says so, and how to put in a real one. */
  readonly isScripted?: boolean | undefined;
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

/** Returns the handler of the HTTP door. The door is loaded with its first request, which waits for it: a socket needs nothing of it. */
export function createRequestHandler(gateway: Gateway, options: HttpOptions): RequestHandler {
  const load = loadOnce(async () => (await import('./app.ts')).createHttpApp(gateway, options));
  return (request: IncomingMessage, response: ServerResponse) => {
    load().then(
      (handle) => handle(request, response),
      (error) => {
        gateway.services.report(error);
        response.writeHead(500).end();
      },
    );
  };
}

// Node takes the first one: a proxy in front may have believed the other
const hasTwoHosts = ({ headersDistinct }: IncomingMessage) => (headersDistinct['host'] ?? []).length > 1;

function refuseHosts(response: ServerResponse): void {
  response.writeHead(400, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' });
  response.end('A request has one Host.\n');
}

function askForUpgrade(response: ServerResponse): void {
  response.writeHead(426, { upgrade: 'websocket', 'content-type': 'text/plain; charset=utf-8' });
  response.end('This address is for WebSockets.\n');
}

/** Returns the address that clients connect to. */
export const socketUrl = (host: string, port: number, path: string): string =>
  `ws://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;

/** Listens on a port; resolves when clients can connect. Rejects when the port is in use, or the host needs tokens. */
export async function listen(gateway: Gateway, options: ListenOptions): Promise<Listening> {
  const { host = '127.0.0.1', port, path = defaultPath, isScripted = false, bind } = options;
  assertGuarded(host, gateway.authenticator);
  const { helloMs } = gateway.limits;
  const timeouts = { headersTimeout: helloMs, requestTimeout: helloMs, connectionsCheckingInterval: checkMs };
  const handle = createRequestHandler(gateway, options);
  const page = new Page({ path, isScripted });
  const server = createServer(timeouts, (request, response) => {
    if (hasTwoHosts(request)) return refuseHosts(response);
    const asked = request.url?.split('?', 1)[0] ?? '';
    if (asked === path) return askForUpgrade(response);
    if (asked.startsWith('/api/') || asked.startsWith('/v1/') || request.method === 'OPTIONS')
      return handle(request, response);
    page.reply(request, response).then(
      (isReplied) => {
        if (!isReplied) handle(request, response);
      },
      () => response.destroy(),
    );
  });
  const detach = attachSockets(server, gateway, options);
  bind?.(server);
  const bound = bind ? port : await listenOnPort(server, port, host, gateway.services.report);
  return {
    url: socketUrl(host, bound, path),
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
  readonly #load: () => Promise<PageFiles>;

  constructor(facts: PageFacts) {
    this.#load = loadOnce(async () => (await import('./page-files.ts')).readPageFiles(facts));
  }

  /** Resolves with whether the request was for a file of the page, and has its reply. */
  async reply(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const reply = (await this.#load()).reply(request);
    if (!reply) return false;
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
    return true;
  }
}
