// The relay of `--stately`: the stream as a WebSocket on this machine, for Stately's inspector and for receivers of `@xstate/inspect`.
//
// The server in that package listens on every interface, opens a browser and loads a page from elsewhere: this one does none of it.
// 1. It listens at 127.0.0.1 only, and talks only to who has asked for this machine by name: a page elsewhere cannot connect, whatever
//    name its DNS points here.
// 2. The runtime is observed while somebody is connected, and not before.
// 3. It takes nothing: what a client sends is not read.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Inspector } from './inspector.ts';
import { page, policyOf } from './relay-page.ts';
import { createStatelyFeed } from './stately.ts';

const host = '127.0.0.1';
const maxConnections = 8;
/** A client that has this much to read yet is let go. */
const maxWaitingBytes = 16 * 1_048_576;
const maxMessageBytes = 1_024;

export interface RelayOptions {
  readonly inspector: Inspector;
  /** 0: any that is free. */
  readonly port: number;
}

export interface Relay {
  /** The page; `ws:` in front of the same address is the stream. Like `http://127.0.0.1:8080/`. */
  readonly url: string;
  /** Lets everybody go; resolves when nobody is connected. */
  close(): Promise<void>;
}

/** Rejects when the port is taken. */
export async function startRelay({ inspector, port }: RelayOptions): Promise<Relay> {
  const server = createServer((request, response) => {
    const refusal = refusalOf(request);
    if (refusal) return void response.writeHead(refusal[0], { 'content-type': 'text/plain' }).end(`${refusal[1]}\n`);
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(hosts()),
      'referrer-policy': 'no-referrer',
    });
    response.end(request.method === 'HEAD' ? undefined : page);
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

  const hosts = (): readonly string[] => {
    const { port: bound } = server.address() as AddressInfo;
    return [`${host}:${bound}`, `localhost:${bound}`];
  };

  function refusalOf({ headers, url, method = '' }: IncomingMessage): readonly [number, string] | null {
    const known = hosts();
    if (!known.includes(headers.host ?? '')) return [403, 'The relay talks to this machine only.'];
    if (headers.origin !== undefined && !known.some((name) => headers.origin === `http://${name}`))
      return [403, 'Pages of this origin may not connect.'];
    if (url !== '/') return [404, 'The relay has one page, /.'];
    return ['GET', 'HEAD'].includes(method) ? null : [405, 'The relay takes nothing.'];
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const full = sockets.clients.size >= maxConnections ? ([503, 'As many are connected as may be.'] as const) : null;
    const refusal = refusalOf(request) ?? full;
    if (refusal) {
      const [status, sentence] = refusal;
      socket.end(`HTTP/1.1 ${status} ${sentence}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    } else sockets.handleUpgrade(request, socket, head, feed);
  });

  function feed(socket: WebSocket): void {
    const stop = inspector.listen(
      createStatelyFeed((event) => {
        if (socket.bufferedAmount > maxWaitingBytes) socket.terminate(); // it would not answer a close either
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
      }),
    );
    socket.on('error', () => {}); // `close` follows
    socket.on('close', stop);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${hosts()[0]}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
      }),
  };
}
