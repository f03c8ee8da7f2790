// Web site on loopback that records its requests.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Site {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly server: Server;
  readonly requests: string[];
  /** All that were ever opened. */
  readonly connections: { count: number };
  /** Connections that are open now. */
  open(): Promise<number>;
}

export async function serveSite(listener: RequestListener, host = '127.0.0.1'): Promise<Site> {
  const requests: string[] = [];
  const connections = { count: 0 };
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  server.on('connection', () => connections.count++);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { url: `http://${host}:${port}`, host, port, server, requests, connections, open };
}
