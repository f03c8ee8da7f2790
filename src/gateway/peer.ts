// The contract between the gateway and a socket adapter (ws.ts is one). The rest of the gateway imports no socket library.
import type { LeaveReason } from '../../machines/vocabulary.ts';

/** The client's end of one connection. No method throws, even after the socket has closed. */
export interface Peer {
  /** Sends a text message, or bytes as a binary one; the order is kept. Calls `sent` once, when the message was written to the system or is lost. */
  send(message: string | Uint8Array, sent: () => void): void;
  /** As `send`, but the message may wait for those of the same moment, so that all of them are one write. A message of `send` does not wait for it. */
  sendSoon(text: string, sent: () => void): void;
  /** Bytes of messages for which `send` or `sendSoon` was called and that are still in this process. */
  readonly bufferedBytes: number;
  /** Sends a ping: `onPong` follows if the client is reachable. */
  ping(): void;
  /** Starts the closing handshake, after the messages before it. `onClosed` follows when the client has replied. */
  close(code: number, reason: string): void;
  /** Destroys the socket without a handshake. `onClosed` follows. */
  terminate(): void;
}

/** Receives the events of a socket from its adapter. No method throws. */
export interface PeerListener {
  /** Called with each message: a text, or the bytes of a binary one. `bytes` is the size on the wire. */
  onMessage(message: string | Uint8Array, bytes: number): void;
  /** Called with each ping of the client. Returns whether it gets a pong. */
  onPing(): boolean;
  /** Called with each pong of the client. */
  onPong(): void;
  /** The last event, called exactly once. `left`: the client closed with code 1000. `lost`: any other end. */
  onClosed(how: LeaveReason): void;
}

/** Whom a connection comes from. */
export interface Origin {
  /** The token of the upgrade. */
  readonly token: string | null;
  /** The address of the client. */
  readonly address: string;
}
