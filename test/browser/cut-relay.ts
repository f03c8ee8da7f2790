// A relay of bytes between a page and its gateway that cuts every connection when a test asks for it.
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CutRelay {
  /** The address that leads to the gateway through the relay. */
  readonly url: string;
  /** Cuts all connections, and refuses others until `mend`. */
  cut(): void;
  mend(): void;
}

/** Starts a relay in front of a gateway. */
export async function startCutRelay(gateway: string): Promise<CutRelay> {
  const port = Number(new URL(gateway).port);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // it was cut
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((from) => {
    keep(from);
    if (isCut) return void from.destroy();
    const to = connect(port, '127.0.0.1');
    keep(to);
    from.pipe(to).pipe(from);
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
  });
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${own}/belay`,
    cut,
    mend: () => {
      isCut = false;
    },
  };
}
