// Proxy on loopback that connects a browser to the addresses that the policy allows, and to no others: its only way to the network.
//
// Requests that are caught inside the browser are not enough: a redirect is not caught again, a name is looked up once more after the
// check, and a WebSocket, a worker or a beacon is not caught at all. Here the address of every connection is checked.
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
/** Headers that are for the proxy alone, and the one of trailers, which it does not forward. */
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
    this.#server.on('connection', (socket) => this.#keep(socket));
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

  /** Closes every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  #keep(connection: Duplex): void {
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    connection.on('error', () => {}); // its close is what counts
  }

  /** Throws a `ToolRefusal` for an address, which is never looked up, and an Error for a name that no host has. */
  #checkedHost(hostname: string): string {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (host.endsWith('.invalid')) throw new Error(`There is no host ${host}.`);
    if (isIP(host) !== 0 && !this.#addresses.allows(host)) throw addressRefused(host, host);
    return host;
  }

  /** Sends no response to a refused request, so that a page cannot take it for the server's. */
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
      this.#keep(server);
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
        if (response.headersSent) return void response.destroy(); // the end of its body is missing
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
      onward.on('socket', (socket) => this.#keep(socket));
      onward.on('error', onError);
      onward.on('response', (answer) => {
        try {
          response.writeHead(answer.statusCode ?? 502, forwardedHeaders(answer.rawHeaders));
          pipeline(answer, response, () => {}); // an error of one destroys the other
        } catch (error) {
          onError(error); // Node does not send every status that it receives
        }
      });
      request.pipe(onward);
      response.once('close', () => onward.destroy());
    } catch (error) {
      onError(error);
    }
  }
}

/** Returns the headers that go on; they are a list of names and values in turn. */
const forwardedHeaders = (headers: readonly string[]): string[] =>
  headers.filter((_, at) => !ownHeader.test(headers[at - (at % 2)] ?? ''));
