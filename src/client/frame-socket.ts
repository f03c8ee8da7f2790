// One WebSocket that sends and receives frames, and closes once. It is independent of sessions.
import type { AskedSound, ClientFrame } from '../wire/client-frames.ts';
import { normalClosure } from '../wire/close-codes.ts';
import { subprotocol } from '../wire/frame-limits.ts';
import { addressWithoutKey } from '../wire/gateway-key.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import { ConnectionClosed } from './errors.ts';
import { addressWithKnownKey } from './known-key.ts';
import type { ClientSocket, CreateSocket } from './open-socket.ts';

/** Checks a frame of the server against its schema. Returns a sentence about the first thing that is wrong with it, or null. */
export type ValidateFrame = (frame: unknown) => string | null;

export interface FrameSocketOptions {
  readonly url: string;
  readonly createSocket: CreateSocket;
  readonly validateFrame?: ValidateFrame | undefined;
  /** Whether HELLO asks for sound, and which way. */
  readonly sound?: AskedSound | undefined;
}

export interface FrameSocketListener {
  onOpen(): void;
  onFrame(frame: ServerFrame): void;
  /** Called with each binary message: sound. */
  onSound(message: Uint8Array): void;
  /** The last event, once. */
  onClose(why: ConnectionClosed): void;
}

/** The close code if no close frame was received. */
const noCloseFrame = 1006;

export class FrameSocket {
  readonly #socket: ClientSocket;
  readonly #options: FrameSocketOptions;
  readonly #listener: FrameSocketListener;
  #state: 'connecting' | 'open' | 'closed' = 'connecting';

  /** Throws if `url` is no address of a WebSocket. */
  constructor(options: FrameSocketOptions, listener: FrameSocketListener) {
    this.#options = options;
    this.#listener = listener;
    this.#socket = options.createSocket(addressWithKnownKey(options.url), subprotocol);
    if (options.sound) this.#socket.binaryType = 'arraybuffer';
    this.#socket.onopen = () => this.#open();
    this.#socket.onmessage = ({ data }: { readonly data: unknown }) => this.#receive(data);
    this.#socket.onerror = () => {}; // `close` follows, and says more
    this.#socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => {
      const isConnecting = this.#state === 'connecting';
      this.#close(
        code,
        isConnecting ? `No connection to ${addressWithoutKey(options.url)}.` : closeMessage(code, reason),
      );
    };
  }

  /** Sends the frame; without effect while the socket is not open. */
  send(frame: ClientFrame): void {
    if (this.#state === 'open') this.#socket.send(JSON.stringify(frame));
  }

  /** Sends a binary message; without effect while the socket is not open. */
  sendSound(message: Uint8Array): void {
    if (this.#state === 'open') this.#socket.send(message);
  }

  /** Sends a close frame; `onClose` follows as soon as the server has answered. */
  close(): void {
    this.#socket.close(normalClosure);
  }

  /** Cuts the connection: `onClose` is called at once, and nothing after it. */
  drop(message: string): void {
    this.#close(noCloseFrame, message);
    this.#socket.close();
    this.#socket.terminate?.();
  }

  #open(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    this.#listener.onOpen();
  }

  #receive(data: unknown): void {
    if (this.#state !== 'open') return;
    if (data instanceof ArrayBuffer) return this.#listener.onSound(new Uint8Array(data));
    const frame = parse(data);
    if (!frame) return this.drop('The server sent a message that is not JSON.');
    const problem = this.#options.validateFrame?.(frame) ?? null;
    if (problem !== null) return this.drop(problem);
    this.#listener.onFrame(frame);
  }

  #close(code: number, message: string): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#listener.onClose(new ConnectionClosed(code, message));
  }
}

function closeMessage(code: number, reason: string): string {
  if (reason !== '') return `The connection has ended: ${reason}.`;
  return code === noCloseFrame
    ? 'The connection was lost.'
    : `The connection has ended, with the close code ${code} and no reason.`;
}

function parse(data: unknown): ServerFrame | null {
  try {
    return JSON.parse(String(data)) as ServerFrame; // not checked, unless a validator is given
  } catch {
    return null;
  }
}
