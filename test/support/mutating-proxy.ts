// A proxy in front of a gateway that changes frames: so a test has a gateway, or a client, that breaks one rule of the protocol.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { subprotocol } from '../../src/wire/frame-limits.ts';

// biome-ignore lint/suspicious/noExplicitAny: frames are changed into what no type allows
export type AnyFrame = Record<string, any>;

/** Returns the frames to pass on instead. */
export type Mutate = (frame: AnyFrame) => readonly AnyFrame[];

export interface Mutation {
  /** Changes what the gateway sends. */
  readonly down?: Mutate;
  /** Changes what the client sends. */
  readonly up?: Mutate;
  /** What is offered to the gateway; left out: `belay.v1`. */
  readonly protocols?: readonly string[];
  /** Close frames of the gateway do not reach the client: its connection breaks instead. */
  readonly breaks?: true;
  /** The code with which it closes the connection of a client, instead of that of the gateway and of its own. */
  readonly closeCode?: number;
}

/** Starts a proxy for the running test. Resolves with its URL. */
export async function startMutatingProxy(target: string, mutation: Mutation): Promise<string> {
  const { up = same, down = same, protocols = [subprotocol], breaks = false, closeCode } = mutation;
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (client) => {
    if (closeCode !== undefined) {
      const close = client.close.bind(client);
      client.close = () => close(closeCode); // also where the socket itself closes what breaks WebSocket's rules
    }
    const gateway = new WebSocket(target, [...protocols]);
    const isOpen = once(gateway, 'open').catch(() => {});
    for (const socket of [client, gateway]) socket.on('error', () => {});
    client.on('message', async (data, isBinary) => {
      await isOpen;
      for (const message of changed(data.toString(), isBinary, up)) gateway.send(message ?? data);
    });
    gateway.on('message', (data) => {
      for (const message of changed(data.toString(), false, down)) client.send(message ?? data.toString());
    });
    client.on('close', () => gateway.terminate());
    gateway.on('close', (code, reason) => {
      if (breaks || code < 1000 || code === 1005 || code === 1006) client.terminate();
      else client.close(code, reason);
    });
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `ws://127.0.0.1:${port}/belay`;
}

const same: Mutate = (frame) => [frame];

/** The texts of the frames; null: the message as it is, because it is no frame. */
function changed(text: string, isBinary: boolean, mutate: Mutate): readonly (string | null)[] {
  if (isBinary || !text.startsWith('{') || !text.endsWith('}')) return [null];
  return mutate(JSON.parse(text)).map((frame) => JSON.stringify(frame));
}
