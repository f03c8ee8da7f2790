// Servers for the tests of the transport: an endpoint that counts its connections, and a proxy.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** The connections so far, also those that are closed. */
  readonly connections: readonly Socket[];
  /** How many connections are open. */
  open(): number;
}

const certificates = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'certificates');
export const certificateFile = join(certificates, 'endpoint.pem');

export function startServer(listener: RequestListener): Promise<TestServer> {
  return listening(createServer(listener), 'http');
}

/** Its certificate is valid for `endpoint.test`, and signed by itself. */
export function startSecureServer(listener: RequestListener): Promise<TestServer> {
  const key = readFileSync(join(certificates, 'endpoint-key.pem'));
  return listening(createSecureServer({ key, cert: readFileSync(certificateFile) }, listener), 'https');
}

export interface TestProxy extends TestServer {
  /** What was asked of it: a whole URL, or `CONNECT host:port`. */
  readonly asked: readonly string[];
}

/** A proxy that sends everything to one port of this machine, whatever host was asked for. With `isSilent` no tunnel is ever made. */
export async function startTunnelProxy(port: number, { isSilent = false } = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('by the proxy');
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.on('error', () => {});
    if (isSilent) return void socket.resume().on('end', () => socket.end()); // so that its close is seen
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
  return { ...(await listening(server, 'http')), asked };
}

async function listening(server: Server, scheme: string): Promise<TestServer> {
  const connections: Socket[] = [];
  server.on('connection', (socket) => {
    connections.push(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens at a port
  const open = () => connections.filter((socket) => !socket.destroyed).length;
  return { url: `${scheme}://127.0.0.1:${port}/v1`, port, server, connections, open };
}
