// A WebSocket by `ws` as a peer of the gateway: sends its messages, and passes on those that it receives.
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import { normalClosure } from '../wire/close-codes.ts';
import type { Peer, PeerListener } from './peer.ts';

/** Knows its listener, so that all sockets share the same handlers. */
export class GatewaySocket extends WebSocket {
  listener: PeerListener | null = null;

  /** Passes everything that is received from now on to the listener. */
  listen(listener: PeerListener): void {
    this.listener = listener;
    this.on('message', onMessage);
    this.on('ping', onPing);
    this.on('pong', onPong);
    this.on('close', onClose);
  }
}

const listenerOf = (socket: WebSocket) => (socket instanceof GatewaySocket ? socket.listener : null);

// -- the handlers: `this` is the socket

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  const bytes = Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
  listenerOf(this)?.onMessage(isBinary && Buffer.isBuffer(data) ? data : data.toString(), bytes);
}

function onPing(this: WebSocket, data: Buffer): void {
  if (listenerOf(this)?.onPing()) this.pong(data);
}

function onPong(this: WebSocket): void {
  listenerOf(this)?.onPong();
}

function onClose(this: WebSocket, code: number): void {
  listenerOf(this)?.onClosed(code === normalClosure ? 'left' : 'lost');
}

/** The limit of bytes that are held for one write. Above it they are written at once. */
const maxHeldBytes = 4_096;

export class SocketPeer implements Peer {
  readonly #socket: WebSocket;
  readonly #carrier: Duplex;

  /** `carrier`: the connection below the socket. */
  constructor(socket: WebSocket, carrier: Duplex) {
    this.#socket = socket;
    this.#carrier = carrier;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: string | Uint8Array, sent: () => void): void {
    this.#socket.send(message, sent);
    this.#release();
  }

  /** Sends tokens that arrive together in one write: a write costs more than everything else that is done for a token. */
  sendSoon(text: string, sent: () => void): void {
    if (this.#carrier.writableCorked === 0) {
      this.#carrier.cork();
      setImmediate(() => this.#release()); // when the event loop has read the sockets that are readable now
    }
    this.#socket.send(text, sent);
    if (this.#carrier.writableLength > maxHeldBytes) this.#release();
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #release(): void {
    if (this.#carrier.writableCorked > 0) this.#carrier.uncork();
  }
}
