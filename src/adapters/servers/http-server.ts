// Parts of every HTTP server of Belay: listening on a port, and upgrades, whose rejection does not end the process.
//
// Node takes its own `error` listener off a socket that is to be upgraded: without another one, the reset of its connection is an exception.
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Resolves with the port when clients can connect; rejects if it is in use.
 * @param port 0: any that is free.
 * @param onError Receives what fails afterwards, like a connection that the system could not accept: the server listens on.
 */
export async function listenOnPort(
  server: SocketServer,
  port: number,
  host: string,
  onError: (error: unknown) => void = () => {},
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}

export interface UpgradeRejection {
  readonly status: number;
  /** The reason phrase, and the body. */
  readonly sentence: string;
}

/**
 * Handles the upgrades of a server from now on. Each socket has an `error` listener before the handler runs, also one that the handler leaves to
 * others. Returns a function that stops it.
 */
export function onUpgrade(
  server: Server,
  handle: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): () => void {
  const listener: typeof handle = (request, socket, head) => {
    socket.on('error', destroySocket);
    handle(request, socket, head);
  };
  server.on('upgrade', listener);
  return () => void server.off('upgrade', listener);
}

/** Responds to an upgrade with a refusal, and closes the connection. */
export function rejectUpgrade(socket: Duplex, { status, sentence }: UpgradeRejection): void {
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

function destroySocket(this: Duplex): void {
  this.destroy();
}
