// A proxy between clients and a gateway that cuts and delays connections and repeats messages, at random or on request.
//
// Within a connection and a direction the order stays, as in TCP; messages of a cut connection may still arrive, after some of the next one.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { subprotocol } from '../../src/wire/frame-limits.ts';

/** The probability of each fault for each message, 0 to 1. */
export interface Faults {
  /** Both ends are cut. */
  readonly cut: number;
  /** The client is cut off; the messages that it has sent arrive later. */
  readonly cutClient: number;
  /** The gateway is cut off; the client sees the close later. */
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

export const noFaults: Faults = { cut: 0, cutClient: 0, cutGateway: 0, hole: 0, repeat: 0, delay: 0, refuse: 0 };

export interface ProxyOptions {
  readonly target: string;
  readonly chance?: () => number;
  readonly faults?: Partial<Faults>;
  /** The longest time that a message is delayed, also those of a cut connection (5). */
  readonly delayMs?: number;
}

/** A listening proxy. Its target, faults and randomness can be changed while it runs. */
export class FaultyProxy {
  readonly url: string;
  /** The gateway for new connections. */
  target: string;
  faults: Faults;
  chance: () => number;
  /** The number of faults of each kind so far. */
  readonly done: Record<keyof Faults, number> = { ...noFaults };
  readonly #server: WebSocketServer;
  readonly #delayMs: number;
  readonly #sockets = new Set<WebSocket>();
  /** Those of `#sockets` that lead to the gateway. */
  readonly #gatewaySockets = new WeakSet<WebSocket>();

  constructor(server: WebSocketServer, { target, chance = () => 1, faults, delayMs = 5 }: ProxyOptions) {
    const { port } = server.address() as AddressInfo;
    this.url = `ws://127.0.0.1:${port}/belay`;
    this.target = target;
    this.faults = { ...noFaults, ...faults };
    this.chance = chance;
    this.#server = server;
    this.#delayMs = delayMs;
    server.on('connection', (client) => this.#connect(client));
  }

  /** The number of open connections of clients, also of those over which nothing passes. */
  get size(): number {
    return this.#server.clients.size;
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Stops the existing connections from passing anything, close frames included. */
  mute(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Stops the existing connections from passing frames of the gateway; frames of clients still pass. */
  muteGateway(): void {
    for (const socket of this.#sockets) if (this.#gatewaySockets.has(socket)) socket.pause();
  }

  /** Decides whether this fault happens now, and counts it. */
  happens(what: keyof Faults): boolean {
    if (this.chance() >= this.faults[what]) return false;
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

  /** Passes messages in one direction in their order, some delayed, some repeated. */
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
