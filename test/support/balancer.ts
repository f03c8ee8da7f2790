// A load balancer as it stands before a cluster: passes each connection to the next host that says that it is ready.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Balancer {
  readonly url: string;
  /** The addresses of the sockets of the hosts: they may change at any time. */
  readonly hosts: Set<string>;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(new URL('/readyz', url.replace('ws:', 'http:'))).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts a balancer for the running test. */
export async function startBalancer(): Promise<Balancer> {
  const hosts = new Set<string>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // `close` follows
    return socket;
  };
  const connectNext = async (client: Socket) => {
    turn += 1;
    const all = [...hosts];
    const inTurn = all.map((_, i) => all[(i + turn) % all.length] ?? '');
    for (const url of inTurn) {
      if (!(await isReady(url))) continue;
      const { hostname, port } = new URL(url);
      const host = track(connect(Number(port), hostname));
      client.pipe(host).pipe(client);
      for (const [from, to] of [
        [client, host],
        [host, client],
      ] as const)
        from.on('close', () => to.destroy());
      return;
    }
    client.destroy();
  };
  const server = createServer((client) => void connectNext(track(client))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `ws://127.0.0.1:${port}/belay`, hosts };
}
