// Serves the inspector's records over a WebSocket on this machine (`--stately`), for Stately's inspector and receivers of `@xstate/inspect`.
//
// Replaces the server of that package, which listens on every interface, opens a browser, and loads a page from the internet.
// 1. It listens on 127.0.0.1 only, and rejects a request with another host or origin. So a page of another site cannot connect, even
//    if the name of that site resolves to 127.0.0.1. With a key it serves only who shows it: not every process of this machine.
// 2. The runtime is observed only while a client is connected.
// 3. It reads no message of a client.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { listenOnPort, onUpgrade, rejectUpgrade, type UpgradeRejection } from '../adapters/servers/http-server.ts';
import { isSameSecret } from '../core/text/same-secret.ts';
import type { Inspector } from './inspector.ts';
import { contentSecurityPolicy, pageWith } from './relay-page.ts';
import { StatelyFeed } from './stately-feed.ts';

const host = '127.0.0.1';
const maxConnections = 8;
/** A client with more unsent data than this is disconnected. */
const maxUnsentBytes = 16 * 1_048_576;
const maxMessageBytes = 1_024;

export interface RelayOptions {
  readonly inspector: Inspector;
  /** The port that it listens at; 0: any free one. */
  readonly port: number;
  /** What a socket has to show, as `?key=…`; the page takes it from its fragment. Left out: whoever is on this machine may connect. */
  readonly key?: string | undefined;
  /** The address of the inspector of Belay's own page, for whoever cannot reach Stately's site. */
  readonly ownPage?: string | undefined;
}

export class Relay {
  readonly #inspector: Inspector;
  readonly #key: string | undefined;
  readonly #page: string;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

  constructor({ inspector, key, ownPage }: Pick<RelayOptions, 'inspector' | 'key' | 'ownPage'>) {
    this.#page = pageWith(ownPage ?? null);
    this.#inspector = inspector;
    this.#key = key;
    this.#server = createServer((request, response) => this.#respond(request, response));
    onUpgrade(this.#server, (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** The address of the page, like `http://127.0.0.1:8080/`; the records come from the same address as a WebSocket. It has no key. */
  get url(): string {
    return `http://${this.#hosts()[0]}/`;
  }

  /** The address of the page with the key in its fragment, which a browser sends to nobody. */
  get pageAddress(): string {
    return this.#key === undefined ? this.url : `${this.url}#key=${this.#key}`;
  }

  /** Rejects if the port is in use. */
  async listen(port: number): Promise<void> {
    await listenOnPort(this.#server, port, host);
  }

  /** Stops listening and disconnects all clients. Resolves when none is connected. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets.clients) socket.terminate();
      this.#server.closeAllConnections();
    });
  }

  /** The values that `Host` may have. */
  #hosts(): readonly string[] {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return [`${host}:${port}`, `localhost:${port}`];
  }

  #rejectionOf({ headers, url, method = '' }: IncomingMessage): UpgradeRejection | null {
    const hosts = this.#hosts();
    if (!hosts.includes(headers.host ?? ''))
      return { status: 403, sentence: `The header Host must name this machine: open ${this.url}.` };
    if (headers.origin !== undefined && !hosts.some((name) => headers.origin === `http://${name}`))
      return { status: 403, sentence: `Only the relay's own page may connect: open ${this.url}.` };
    if (url?.split('?', 1)[0] !== '/') return { status: 404, sentence: `The relay has one page: open ${this.url}.` };
    return ['GET', 'HEAD'].includes(method) ? null : { status: 405, sentence: 'The relay accepts GET and HEAD.' };
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const rejection = this.#rejectionOf(request);
    if (rejection) {
      response.writeHead(rejection.status, { 'content-type': 'text/plain' }).end(`${rejection.sentence}\n`);
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(this.#hosts()),
      'referrer-policy': 'no-referrer',
    });
    response.end(request.method === 'HEAD' ? undefined : this.#page);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const rejection = this.#rejectionOf(request) ?? this.#rejectionWithoutKey(request) ?? this.#rejectionWhenFull();
    if (rejection) rejectUpgrade(socket, rejection);
    else this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#sendRecords(opened));
  }

  #rejectionWithoutKey({ url = '' }: IncomingMessage): UpgradeRejection | null {
    const shown = new URLSearchParams(url.split('?', 2)[1]).get('key') ?? '';
    if (this.#key === undefined || isSameSecret(shown, this.#key)) return null;
    return {
      status: 401,
      sentence: 'The key is missing or wrong: use the whole address that the gateway has printed.',
    };
  }

  #rejectionWhenFull(): UpgradeRejection | null {
    const { size } = this.#sockets.clients;
    if (size < maxConnections) return null;
    return { status: 503, sentence: `Too many connections: ${size} of ${maxConnections}. Close one first.` };
  }

  #sendRecords(socket: WebSocket): void {
    const feed = new StatelyFeed((event) => {
      if (socket.bufferedAmount > maxUnsentBytes) socket.terminate(); // a close frame would only follow the unsent data
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
    });
    const stop = this.#inspector.listen((record) => feed.add(record));
    socket.on('error', () => {}); // `close` follows
    socket.on('close', stop);
  }
}

/** Starts a relay. Rejects if the port is in use. */
export async function startRelay({ port, ...options }: RelayOptions): Promise<Relay> {
  const relay = new Relay(options);
  await relay.listen(port);
  return relay;
}
