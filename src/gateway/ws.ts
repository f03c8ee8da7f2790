// WebSockets by `ws`, on an HTTP server that is already there: which upgrades are taken, and the peer that a socket becomes.
import type { IncomingMessage, Server } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { normalClosure } from '../protocol/close-codes.ts';
import { subprotocol } from '../protocol/frame-limits.ts';
import type { Gateway } from './gateway.ts';
import { hardFrameFactor } from './gateway-limits.ts';
import type { Peer } from './peer.ts';

export interface AttachOptions {
  /** Where the gateway answers; other paths are left to the server's other listeners. */
  readonly path?: string;
  /** Origins of browser pages that may connect, like `https://example.org`, beside the one that the page and the gateway share. */
  readonly origins?: readonly string[];
}

export const defaultPath = '/belay';

/** Takes upgrades of the server from now on; the returned function stops that. Sockets that are open stay. */
export function attach(server: Server, gateway: Gateway, options: AttachOptions = {}): () => void {
  const { path = defaultPath, origins = [] } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: gateway.limits.frameBytes * hardFrameFactor,
    perMessageDeflate: false, // it would hold frames back, and memory for each socket
    handleProtocols: () => subprotocol,
  });

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.url?.split('?', 1)[0] !== path) {
      if (server.listenerCount('upgrade') === 1) refuse(socket, 404, `The gateway answers at ${path}.`);
      return;
    }
    socket.on('error', () => socket.destroy());
    const refusal = refusalOf(request, gateway, origins);
    if (refusal) return refuse(socket, ...refusal);
    const token = bearerOf(request);
    const taken = () => {
      if (gateway.state !== 'open') return refuse(socket, 503, 'There is no room for another connection.');
      sockets.handleUpgrade(request, socket, head, (webSocket) => adapt(webSocket, gateway, token));
    };
    if (token === null) return taken();
    gateway.authenticator.verify(token).then(
      (proof) => (proof ? taken() : refuse(socket, 401, 'The token is not good.')),
      () => refuse(socket, 401, 'The token could not be checked.'),
    );
  }

  server.on('upgrade', upgrade);
  return () => {
    server.off('upgrade', upgrade);
    sockets.close();
  };
}

/** Why an upgrade is not taken, before its token is looked at. */
function refusalOf(request: IncomingMessage, gateway: Gateway, origins: readonly string[]): [number, string] | null {
  const { origin, host = '', 'sec-websocket-protocol': offered = '' } = request.headers;
  if (gateway.authenticator.kind === 'local') {
    const { remoteAddress = '' } = request.socket;
    // a name that an attacker's DNS points at this machine makes a page of his the same origin: the name itself must be of this machine
    if (!isLoopback(remoteAddress) || !isLoopback(hostnameOf(`http://${host}`))) {
      return [403, 'Without tokens this gateway talks to this machine only.'];
    }
  }
  if (origin !== undefined && !origins.includes(origin) && !isSameHost(origin, host)) {
    return [403, 'Pages of this origin may not connect.'];
  }
  if (!offered.split(',').some((name) => name.trim() === subprotocol)) {
    return [400, `The subprotocol ${subprotocol} must be offered.`];
  }
  return null;
}

const isSameHost = (origin: string, host: string) => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.host !== '' && url.host === host.toLowerCase();
};

const hostnameOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '');

/** An address or a name of this machine, whatever the network. */
export function isLoopback(host: string): boolean {
  const address = host.startsWith('::ffff:') ? host.slice('::ffff:'.length) : host;
  if (isIP(address) === 4) return address.startsWith('127.');
  return address === '::1' || address === 'localhost';
}

function bearerOf(request: IncomingMessage): string | null {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

function refuse(socket: Duplex, status: number, sentence: string): void {
  const body = `${sentence}\n`;
  socket.end(
    [
      `HTTP/1.1 ${status} ${sentence}`,
      'Connection: close',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** A socket of `ws` as a peer of the gateway. */
function adapt(socket: WebSocket, gateway: Gateway, token: string | null): void {
  const listener = gateway.accept(peerOf(socket), token);
  socket.on('error', () => {}); // `close` follows, and says it all
  if (!listener) return;
  socket.on('message', (data, isBinary) => {
    const bytes = sizeOf(data);
    listener.message(isBinary ? null : data.toString(), bytes);
  });
  socket.on('pong', () => listener.pong());
  socket.on('close', (code) => listener.gone(code === normalClosure ? 'left' : 'lost'));
}

export function peerOf(socket: WebSocket): Peer {
  return {
    send: (text, sent) => socket.send(text, () => sent()),
    get waiting() {
      return socket.bufferedAmount;
    },
    ping() {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
  };
}

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
