// What the gateway asks of a socket: the contract that an adapter keeps (ws.ts is one). The core knows no socket library.
import type { Leaving } from '../../machines/connection.ts';

/** The far end of one connection. No method throws, also when the socket is gone. */
export interface Peer {
  /** Hands a text message over, behind those before it. `sent` is called once: when it has left this process, or is lost. */
  send(text: string, sent: () => void): void;
  /** Bytes that were handed over and have not left this process. */
  readonly waiting: number;
  /** Asks for a sign of life. */
  ping(): void;
  /** Begins the closing handshake, behind what was sent. `gone` follows when the client answers. */
  close(code: number, reason: string): void;
  /** Cuts the socket. `gone` follows. */
  cut(): void;
}

/** What the adapter tells the gateway. No method throws. */
export interface PeerListener {
  /** A message; null for a binary one. `bytes`: its size on the wire. */
  message(text: string | null, bytes: number): void;
  /** The answer to a ping. */
  pong(): void;
  /** The last event, exactly once. `left`: the client closed with 1000. */
  gone(how: Leaving): void;
}
