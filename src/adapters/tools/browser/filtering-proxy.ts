// Proxy on loopback that connects a browser to the addresses that the policy allows, and to no others. It is the browser's only way to the network.
//
// A check of requests inside the browser is not enough: it does not see a redirect again, a name is looked up once more after the
// check, and it does not see a WebSocket, a worker or a beacon at all. Here the address of every connection is checked.
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, isIP, type LookupFunction } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { errorText } from '../../../core/text/error-text.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { listenOnPort } from '../../servers/http-server.ts';
import { type AddressCheck, addressRefused, checkedLookup } from '../checked-lookup.ts';

const maxRefusals = 100;
/** The headers that are not forwarded: those for the proxy alone, and `Trailer`, as the trailers are not forwarded either. */
const ownHeader = /^(proxy-.*|trailer)$/i;

/** Starts a proxy. Resolves when it listens. */
export async function startFilteringProxy(check: AddressCheck): Promise<FilteringProxy> {
  const proxy = new FilteringProxy(check);
  await proxy.listen();
  return proxy;
}

export class FilteringProxy {
  readonly #addresses: AddressCheck['addresses'];
  readonly #lookup: LookupFunction;
  readonly #server: Server;
  readonly #connections = new Set<Duplex>();
  readonly #refusals: string[] = [];

  constructor(check: AddressCheck) {
    this.#addresses = check.addresses;
    this.#lookup = checkedLookup(check);
    this.#server = createServer((request, response) => this.#forward(request, response));
    this.#server.on('connect', (request, client, head) => this.#tunnel(request, client, head));
    this.#server.on('connection', (socket) => this.#trackConnection(socket));
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  get port(): number {
    const address = this.#server.address() as AddressInfo; // of a TCP server that listens
    return address.port;
  }

  /** The refused connections so far, as sentences; at most `maxRefusals`. */
  get refusals(): readonly string[] {
    return this.#refusals;
  }

  async listen(): Promise<void> {
    await listenOnPort(this.#server, 0, '127.0.0.1');
  }

  /** Stops listening, and closes every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  #trackConnection(connection: Duplex): void {
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    connection.on('error', () => {}); // its close is what counts
  }

  /**
   * Returns the host to connect to, without the brackets of IPv6. Throws a `ToolRefusal` for an address that the policy refuses, because the check of
   * `#lookup` sees names only; and an Error for a name below `.invalid`, which no host has.
   */
  #checkedHost(hostname: string): string {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (host.endsWith('.invalid')) throw new Error(`There is no host ${host}.`);
    if (isIP(host) !== 0 && !this.#addresses.allows(host)) throw addressRefused(host, host);
    return host;
  }

  /** Handles the failure of a connection: `respond` sends a response. A refused one gets none, so that a page cannot take it for the server's. */
  #fail(error: unknown, connection: Duplex, respond: () => void): void {
    if (!(error instanceof ToolRefusal)) return respond();
    if (this.#refusals.length < maxRefusals) this.#refusals.push(error.message);
    connection.destroy();
  }

  #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const onError = (error: unknown) => this.#fail(error, client, () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    const target = URL.parse(`http://${request.url}`);
    if (!target) return void client.destroy();
    try {
      const host = this.#checkedHost(target.hostname);
      const server = connect({ host, port: Number(target.port || 80), lookup: this.#lookup });
      this.#trackConnection(server);
      server.once('error', onError);
      server.once('connect', () => {
        server.off('error', onError);
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        server.write(head);
        server.pipe(client).pipe(server);
      });
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    } catch (error) {
      onError(error);
    }
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const onError = (error: unknown) =>
      this.#fail(error, request.socket, () => {
        if (response.headersSent) return void response.destroy(); // shows the browser that the body is not whole
        response.writeHead(502, { 'content-type': 'text/plain' });
        response.end(errorText(error));
      });
    const target = URL.parse(request.url ?? '');
    if (target?.protocol !== 'http:') return void request.socket.destroy();
    try {
      const passed = Object.entries(request.headers).filter(([name]) => !ownHeader.test(name));
      const onward = requestHttp({
        hostname: this.#checkedHost(target.hostname),
        port: target.port,
        path: target.pathname + target.search,
        method: request.method ?? 'GET',
        headers: Object.fromEntries(passed),
        lookup: this.#lookup,
        agent: false,
      });
      onward.on('socket', (socket) => this.#trackConnection(socket));
      onward.on('error', onError);
      onward.on('response', (received) => {
        try {
          response.writeHead(received.statusCode ?? 502, forwardedHeaders(received.rawHeaders));
          pipeline(received, response, () => {}); // an error of one destroys the other
        } catch (error) {
          onError(error); // `writeHead` throws for a status that Node receives but does not send
        }
      });
      request.pipe(onward);
      response.once('close', () => onward.destroy());
    } catch (error) {
      onError(error);
    }
  }
}

/** Returns the headers to forward. In both lists each name is followed by its value. */
const forwardedHeaders = (headers: readonly string[]): string[] =>
  headers.filter((_, at) => !ownHeader.test(headers[at - (at % 2)] ?? ''));
