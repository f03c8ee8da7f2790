// A proxy between clients and a gateway that cuts and delays connections and repeats messages, at random or on request.
//
// Within a connection and a direction the order stays, as in TCP; messages of a cut connection may still arrive, after some of the next one.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { subprotocol } from '../../src/protocol/frame-limits.ts';

/** How likely each of these is, for each message; 0 to 1. */
export interface Mischief {
  /** Both ends are cut. */
  readonly cut: number;
  /** The client is cut off; what it has sent arrives later. */
  readonly cutClient: number;
  /** The gateway is cut off; the client learns of it later. */
  readonly cutGateway: number;
  /** Nothing passes any more, and no socket closes. */
  readonly hole: number;
  /** A message comes twice, the second time after some of the next ones. */
  readonly repeat: number;
  /** A message waits, up to `delayMs`. */
  readonly delay: number;
  /** A connection is refused. Once for each. */
  readonly refuse: number;
}

export const noMischief: Mischief = { cut: 0, cutClient: 0, cutGateway: 0, hole: 0, repeat: 0, delay: 0, refuse: 0 };

export interface ProxyOptions {
  readonly target: string;
  readonly chance?: () => number;
  readonly mischief?: Partial<Mischief>;
  /** The longest time that a message is delayed, also those of a cut connection (5). */
  readonly delayMs?: number;
}

/** A proxy that listens. Everything of it can be changed while it runs. */
export class FaultyProxy {
  readonly url: string;
  /** Where new connections lead. */
  target: string;
  mischief: Mischief;
  chance: () => number;
  /** How often each kind of mischief has been done. */
  readonly done: Record<keyof Mischief, number> = { ...noMischief };
  readonly #server: WebSocketServer;
  readonly #delayMs: number;
  readonly #sockets = new Set<WebSocket>();
  /** Those of `#sockets` that lead to the gateway. */
  readonly #gatewaySockets = new WeakSet<WebSocket>();

  constructor(server: WebSocketServer, { target, chance = () => 1, mischief, delayMs = 5 }: ProxyOptions) {
    const { port } = server.address() as AddressInfo;
    this.url = `ws://127.0.0.1:${port}/belay`;
    this.target = target;
    this.mischief = { ...noMischief, ...mischief };
    this.chance = chance;
    this.#server = server;
    this.#delayMs = delayMs;
    server.on('connection', (client) => this.#connect(client));
  }

  /** Connections of clients that are open, holes too. */
  get size(): number {
    return this.#server.clients.size;
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** From now on nothing passes over the existing connections, close frames neither. */
  mute(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** From now on nothing that the gateway sends passes over the existing connections; what clients send still does. */
  muteGateway(): void {
    for (const socket of this.#sockets) if (this.#gatewaySockets.has(socket)) socket.pause();
  }

  /** Decides whether this mischief is done now. */
  happens(what: keyof Mischief): boolean {
    if (this.chance() >= this.mischief[what]) return false;
    this.done[what] += 1;
    return true;
  }

  /** Returns a random time, in milliseconds. */
  someMs(): number {
    return Math.ceil(this.chance() * this.#delayMs);
  }

  #connect(client: WebSocket): void {
    this.#track(client);
    if (this.happens('refuse')) return client.terminate();
    const gateway = this.#track(new WebSocket(this.target, [subprotocol]));
    this.#gatewaySockets.add(gateway);
    new ProxiedConnection(this, client, gateway).start();
  }

  #track(socket: WebSocket): WebSocket {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {}); // `close` follows
    return socket;
  }
}

/** One connection of a client, with the one to the gateway that belongs to it. */
class ProxiedConnection {
  readonly #proxy: FaultyProxy;
  readonly #client: WebSocket;
  readonly #gateway: WebSocket;
  #state: 'passing' | 'draining' | 'hole' = 'passing';

  constructor(proxy: FaultyProxy, client: WebSocket, gateway: WebSocket) {
    this.#proxy = proxy;
    this.#client = client;
    this.#gateway = gateway;
  }

  start(): void {
    const client = this.#client;
    const gateway = this.#gateway;
    this.#pass(client, gateway);
    this.#pass(gateway, client);
    client.on('close', (code) => {
      if (this.#state === 'passing') gateway.close(code === 1000 ? 1000 : undefined);
      else if (this.#state === 'hole') gateway.terminate();
    });
    gateway.on('close', (code, reason) => {
      if (this.#state !== 'passing') return;
      if (code >= 1000 && code !== 1005 && code !== 1006) client.close(code, reason);
      else client.terminate();
    });
  }

  /** Passes messages in one direction: in their order, each perhaps late, perhaps twice. */
  #pass(from: WebSocket, to: WebSocket): void {
    let last: Promise<unknown> = to.readyState === WebSocket.CONNECTING ? once(to, 'open').catch(() => {}) : pause(0);
    const send = (text: string) => {
      if (to.readyState === WebSocket.OPEN) to.send(text);
    };
    from.on('message', (data) => {
      if (this.#state !== 'passing') return;
      const text = data.toString();
      const waitMs = this.#proxy.happens('delay') ? this.#proxy.someMs() : 0;
      const again = this.#proxy.happens('repeat');
      last = last.then(async () => {
        if (waitMs > 0) await pause(waitMs);
        send(text);
        if (again) this.#later(() => send(text));
      });
      this.#misbehave();
    });
  }

  #misbehave(): void {
    if (this.#proxy.happens('cut')) {
      this.#client.terminate();
      this.#gateway.terminate();
    } else if (this.#proxy.happens('cutClient')) {
      this.#state = 'draining';
      this.#client.terminate();
      this.#later(() => this.#later(() => this.#gateway.close()));
    } else if (this.#proxy.happens('cutGateway')) {
      this.#state = 'draining';
      this.#gateway.terminate();
      this.#later(() => this.#client.terminate());
    } else if (this.#proxy.happens('hole')) this.#state = 'hole';
  }

  #later(act: () => void): void {
    void pause(this.#proxy.someMs()).then(act);
  }
}

/** Starts a proxy for the running test. */
export async function startProxy(options: ProxyOptions): Promise<FaultyProxy> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => subprotocol });
  await once(server, 'listening');
  const proxy = new FaultyProxy(server, options);
  onTestFinished(() => {
    proxy.cutAll();
    server.close();
  });
  return proxy;
}
