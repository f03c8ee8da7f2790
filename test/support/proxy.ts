// A proxy between clients and a gateway that cuts, delays, reorders connections and repeats messages, by chance or when it is told to.
//
// Within a connection and a direction the order stays, as TCP keeps it; what a cut connection had taken may still arrive, behind what the next one brings.
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
  /** Nothing passes any more, and nobody is told. */
  readonly hole: number;
  /** A message comes twice, the second time behind what has come meanwhile. */
  readonly repeat: number;
  /** A message waits, up to `delayMs`. */
  readonly delay: number;
  /** A connection is not taken. Once for each. */
  readonly refuse: number;
}

export const noMischief: Mischief = { cut: 0, cutClient: 0, cutGateway: 0, hole: 0, repeat: 0, delay: 0, refuse: 0 };

export interface ProxyOptions {
  readonly target: string;
  readonly chance?: () => number;
  readonly mischief?: Partial<Mischief>;
  /** How long a message waits at most, and what a cut connection had taken (5). */
  readonly delayMs?: number;
}

export interface Proxy {
  readonly url: string;
  /** Where new connections lead. */
  target: string;
  mischief: Mischief;
  chance: () => number;
  /** Connections of clients that are open, holes too. */
  readonly size: number;
  /** What has been done to them. */
  readonly done: Record<keyof Mischief, number>;
  cutAll(): void;
  /** From now on nothing passes over the connections that there are, goodbyes neither. */
  mute(): void;
}

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { delayMs = 5 } = options;
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => subprotocol });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = new Set<WebSocket>();
  const proxy: Proxy = {
    url: `ws://127.0.0.1:${port}/belay`,
    target: options.target,
    mischief: { ...noMischief, ...options.mischief },
    chance: options.chance ?? (() => 1),
    done: { ...noMischief },
    get size() {
      return server.clients.size;
    },
    cutAll() {
      for (const socket of sockets) socket.terminate();
    },
    mute() {
      for (const socket of sockets) socket.pause();
    },
  };
  const happens = (what: keyof Mischief): boolean => {
    if (proxy.chance() >= proxy.mischief[what]) return false;
    proxy.done[what] += 1;
    return true;
  };
  const track = (socket: WebSocket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // `close` follows
    return socket;
  };
  const someMs = () => Math.ceil(proxy.chance() * delayMs);
  const later = (act: () => void) => void pause(someMs()).then(act);

  server.on('connection', (client) => {
    track(client);
    if (happens('refuse')) return client.terminate();
    const gateway = track(new WebSocket(proxy.target, [subprotocol]));
    let state: 'passing' | 'draining' | 'hole' = 'passing';

    /** One direction: messages in their order, each perhaps late, perhaps twice. */
    const lane = (to: WebSocket) => {
      let last: Promise<unknown> = to.readyState === WebSocket.CONNECTING ? once(to, 'open').catch(() => {}) : pause(0);
      return (text: string) => {
        if (state !== 'passing') return;
        const waitMs = happens('delay') ? someMs() : 0;
        const again = happens('repeat');
        const send = () => {
          if (to.readyState === WebSocket.OPEN) to.send(text);
        };
        last = last.then(async () => {
          if (waitMs > 0) await pause(waitMs);
          send();
          if (again) later(send);
        });
      };
    };
    const up = lane(gateway);
    const down = lane(client);
    const misbehave = () => {
      if (state !== 'passing') return;
      if (happens('cut')) {
        client.terminate();
        gateway.terminate();
      } else if (happens('cutClient')) {
        state = 'draining';
        client.terminate();
        later(() => later(() => gateway.close()));
      } else if (happens('cutGateway')) {
        state = 'draining';
        gateway.terminate();
        later(() => client.terminate());
      } else if (happens('hole')) state = 'hole';
    };
    client.on('message', (data) => {
      up(data.toString());
      misbehave();
    });
    gateway.on('message', (data) => {
      down(data.toString());
      misbehave();
    });
    client.on('close', (code) => {
      if (state === 'passing') gateway.close(code === 1000 ? 1000 : undefined);
      else if (state === 'hole') gateway.terminate();
    });
    gateway.on('close', (code, reason) => {
      if (state !== 'passing') return;
      if (code >= 1000 && code !== 1005 && code !== 1006) client.close(code, reason);
      else client.terminate();
    });
  });

  onTestFinished(() => {
    proxy.cutAll();
    server.close();
  });
  return proxy;
}
