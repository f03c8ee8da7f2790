// The only way out of a browser: a proxy on loopback that connects to addresses which the policy allows, and to no others.
//
// Requests that are caught inside the browser are not enough: a redirect is not caught again, a name is looked up once more behind
// the judgment, and a WebSocket, a worker or a beacon goes its own way. Here every connection is judged by the address that it goes to.
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AddressCheck, addressRefused, checkedLookup } from '../checked-lookup.ts';
import { Refusal } from '../refusal.ts';

export interface FilteringProxy {
  readonly port: number;
  /** What was refused so far, in words. */
  readonly refusals: readonly string[];
  /** Closes every connection. */
  close(): Promise<void>;
}

const maxRefusals = 100;
/** Of the way to the proxy alone. */
const ownHeader = /^proxy-/i;

export async function startFilteringProxy(judging: AddressCheck): Promise<FilteringProxy> {
  const refusals: string[] = [];
  const connections = new Set<Duplex>();
  const lookup = checkedLookup(judging);

  const keep = <Connection extends Duplex>(connection: Connection): Connection => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    connection.on('error', () => {}); // its close is what counts
    return connection;
  };
  /** Throws a `Refusal` for an address, which nobody would look up, and for a name of which there never is a host. */
  const judge = (hostname: string): string => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (host.endsWith('.invalid')) throw new Error(`There is no host ${host}.`);
    if (isIP(host) !== 0 && !judging.addresses.allows(host)) throw addressRefused(host, host);
    return host;
  };
  /** Refused: nothing is answered, so that no page can take the answer for one of the server's. */
  const fail = (error: unknown, connection: Duplex, answer: () => void) => {
    if (!(error instanceof Refusal)) return answer();
    if (refusals.length < maxRefusals) refusals.push(error.message);
    connection.destroy();
  };

  function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const decline = (error: unknown) => fail(error, client, () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    const target = URL.parse(`http://${request.url}`);
    if (!target) return void client.destroy();
    try {
      const server = keep(connect({ host: judge(target.hostname), port: Number(target.port || 80), lookup }));
      server.once('error', decline);
      server.once('connect', () => {
        server.off('error', decline);
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        server.write(head);
        server.pipe(client).pipe(server);
      });
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    } catch (error) {
      decline(error);
    }
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const decline = (error: unknown) =>
      fail(error, request.socket, () => {
        const message = error instanceof Error ? error.message : String(error);
        if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
        response.end(message);
      });
    const target = URL.parse(request.url ?? '');
    if (target?.protocol !== 'http:') return void request.socket.destroy();
    try {
      const passed = Object.entries(request.headers).filter(([name]) => !ownHeader.test(name));
      const onward = requestHttp({
        hostname: judge(target.hostname),
        port: target.port,
        path: target.pathname + target.search,
        method: request.method ?? 'GET',
        headers: Object.fromEntries(passed) as Record<string, string>,
        lookup,
        agent: false,
      });
      onward.on('socket', keep);
      onward.on('error', decline);
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      });
      request.pipe(onward);
      response.once('close', () => onward.destroy());
    } catch (error) {
      decline(error);
    }
  }

  const server = createServer(forward);
  server.on('connect', tunnel);
  server.on('connection', (socket: Socket) => keep(socket));
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    refusals,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}
