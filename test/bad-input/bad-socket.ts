// A socket that misbehaves: from where on, how, and what becomes of it; with the words to write such cases down.
import type { RawSocket } from './raw-socket.ts';

/**
 * How it goes on. `closed`: the gateway sends a close frame with this code and reason. `cut`: the connection ends without one. `served`: a PING
 * still has its pong; `errors`: after these codes of errors.
 */
export type SocketOutcome =
  | { readonly closed: number; readonly reason?: string }
  | { readonly cut: true }
  | { readonly served: true; readonly errors?: readonly string[] };

export interface BadSocket {
  readonly what: string;
  /** How far it is when it behaves: nothing was sent; upgraded; its speaker is known; it has joined `pit`. */
  readonly from: 'connected' | 'upgraded' | 'known' | 'joined';
  readonly does: (raw: RawSocket) => void | Promise<void>;
  readonly outcome: SocketOutcome;
}

export const violation: SocketOutcome = { closed: 1002 };
export const served: SocketOutcome = { served: true };
export const write =
  (...data: readonly (Uint8Array | string)[]) =>
  (raw: RawSocket): void => {
    for (const each of data) raw.write(each);
  };
export const joinedSocket = (what: string, outcome: SocketOutcome, does: BadSocket['does']): BadSocket => ({
  what,
  from: 'joined',
  does,
  outcome,
});
export const upgraded = (what: string, outcome: SocketOutcome, does: BadSocket['does']): BadSocket => ({
  what,
  from: 'upgraded',
  does,
  outcome,
});
/** The text of a frame that has a pong. */
export const pingText = (ref: string) => JSON.stringify({ type: 'PING', ref });
