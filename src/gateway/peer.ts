// The contract between the gateway and an adapter of sockets (ws.ts is one). The core knows no socket library.
import type { Leaving } from '../../machines/connection.ts';

/** The far end of one connection. No method throws, also when the socket is gone. */
export interface Peer {
  /** Sends a text message, after those before it. `sent` is called once: when it has left this process, or is lost. */
  send(text: string, sent: () => void): void;
  /** Bytes that were sent and have not left this process. */
  readonly bufferedBytes: number;
  /** Asks for a sign of life. */
  ping(): void;
  /** Starts the closing handshake, after what was sent. `gone` follows when the client answers. */
  close(code: number, reason: string): void;
  /** Destroys the socket without a handshake. `gone` follows. */
  terminate(): void;
}

/** Receives the events of a socket from its adapter. No method throws. */
export interface PeerListener {
  /** A message; null for a binary one. `bytes`: its size on the wire. */
  onMessage(text: string | null, bytes: number): void;
  /** The answer to a ping. */
  onPong(): void;
  /** The last event, exactly once. `left`: the client closed with 1000. */
  onClosed(how: Leaving): void;
}
