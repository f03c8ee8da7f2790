// WebSockets by `ws`, on an HTTP server that exists already: accepts upgrades, each of which becomes a peer of the gateway.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Server as SocketServer, WebSocketServer } from 'ws';
import { onUpgrade, rejectUpgrade } from '../adapters/servers/http-server.ts';
import { defaultPath, subprotocol } from '../wire/frame-limits.ts';
import { addressShareOf, clientAddressOf, TrustedProxies } from './client-address.ts';
import type { Gateway } from './gateway.ts';
import { hardFrameFactor } from './gateway-limits.ts';
import type { GatewayServices } from './gateway-services.ts';
import type { Origin } from './peer.ts';
import { GatewaySocket, SocketPeer } from './socket-peer.ts';
import {
  bearerTokenOf,
  credentialOf,
  type OriginOptions,
  refusalOfCredential,
  refusalOfUpgrade,
  type UpgradeRefusal,
} from './upgrade-guard.ts';

export interface AttachOptions extends OriginOptions {
  /** The path of the gateway. Upgrades of other paths are left to the server's other listeners. */
  readonly path?: string | undefined;
}

/** The part of a gateway that sockets use. */
export type SocketGateway = Pick<Gateway, 'limits' | 'authenticator' | 'state' | 'accept'> & {
  readonly services: Pick<GatewayServices, 'credentials' | 'refusals'>;
};

/** Accepts upgrades of the server from now on; the returned function stops that. Sockets that are open stay. Throws if a trusted proxy is no address. */
export function attachSockets(server: Server, gateway: SocketGateway, options: AttachOptions = {}): () => void {
  const upgrades = new Upgrades(server, gateway, options);
  const detach = onUpgrade(server, (request, socket, head) => upgrades.handle(request, socket, head));
  return () => {
    detach();
    upgrades.close();
  };
}

class Upgrades {
  readonly #server: Server;
  readonly #gateway: SocketGateway;
  readonly #path: string;
  readonly #origins: readonly string[];
  readonly #proxies: TrustedProxies;
  readonly #sockets: SocketServer<typeof GatewaySocket>;

  constructor(
    server: Server,
    gateway: SocketGateway,
    { path = defaultPath, origins = [], trustedProxies }: AttachOptions,
  ) {
    this.#proxies = new TrustedProxies(trustedProxies);
    this.#server = server;
    this.#gateway = gateway;
    this.#path = path;
    this.#origins = origins;
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: gateway.limits.frameBytes * hardFrameFactor,
      autoPong: false, // the listener decides, because pings count as frames: see PeerListener
      perMessageDeflate: false, // it would delay frames, and take memory for each socket
      handleProtocols: () => subprotocol,
      WebSocket: GatewaySocket,
    });
  }

  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.url?.split('?', 1)[0] !== this.#path) {
      const sentence = `The gateway answers at ${this.#path}.`;
      // with other listeners on the server, one of them may have the path
      if (this.#server.listenerCount('upgrade') === 1) rejectUpgrade(socket, { status: 404, sentence });
      return;
    }
    const address = clientAddressOf(request, this.#proxies);
    const refusal = refusalOfUpgrade(request, address, this.#gateway.authenticator, this.#origins);
    if (refusal) return this.#refuse(socket, address, refusal);
    const { authenticator, services } = this.#gateway;
    const { kind } = authenticator;
    const shown = { secret: credentialOf(request, authenticator), address: addressShareOf(address) };
    const wrongKey = services.credentials.refusalOfKey(shown);
    if (wrongKey) return this.#refuse(socket, address, refusalOfCredential(wrongKey, kind));
    const origin = { token: bearerTokenOf(request), address };
    if (kind === 'local' || shown.secret === null) return this.#accept(request, socket, head, origin); // HELLO proves the speaker
    services.credentials.check(shown).then(
      (proof) => {
        if (typeof proof === 'object') this.#accept(request, socket, head, origin);
        else this.#refuse(socket, address, refusalOfCredential(proof, kind));
      },
      () => this.#refuse(socket, address, notVerified),
    );
  }

  close(): void {
    this.#sockets.close();
  }

  #refuse(socket: Duplex, address: string, refusal: UpgradeRefusal): void {
    rejectUpgrade(socket, refusal);
    const { code, status } = refusal;
    this.#gateway.services.refusals.add({ door: 'socket', code, status, address });
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer, { token, address }: Origin): void {
    const { state } = this.#gateway;
    if (state === 'full' || state === 'closing') return this.#refuse(socket, address, notAccepted[state]);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', ignoreError);
      const listener = this.#gateway.accept(new SocketPeer(webSocket, socket), token, address);
      if (listener) webSocket.listen(listener);
    });
  }
}

/** `close` follows every error, and is enough. */
function ignoreError(): void {}

/** By state of the gateway, why it accepts no connection. */
const notAccepted: Readonly<Record<Exclude<Gateway['state'], 'open' | 'draining'>, UpgradeRefusal>> = {
  full: { status: 503, code: 'too_many_connections', sentence: 'Too many connections.' },
  closing: { status: 503, code: 'shutdown', sentence: 'The gateway is shutting down.' },
};

const notVerified = { status: 401, code: 'unauthorized', sentence: 'The token could not be verified.' };
