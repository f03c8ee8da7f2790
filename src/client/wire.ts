// One WebSocket: frames out, frames in, one end. It knows nothing of sessions.
import { normalClosure } from '../protocol/close-codes.ts';
import type { ClientFrame, ServerFrame } from '../protocol/frames.ts';
import { subprotocol } from '../protocol/limits.ts';
import { ConnectionClosed } from './errors.ts';

export interface WireListener {
  frame(frame: ServerFrame): void;
  /** The last event, once. */
  closed(why: ConnectionClosed): void;
}

export interface Wire {
  send(frame: ClientFrame): void;
  /** Says goodbye; `closed` follows. */
  close(): void;
}

/** Resolves when the socket is open; rejects with `ConnectionClosed`. */
export function openWire(url: string, listener: WireListener): Promise<Wire> {
  const { promise, resolve, reject } = Promise.withResolvers<Wire>();
  const socket = new WebSocket(url, [subprotocol]);
  let state: 'connecting' | 'open' = 'connecting';
  socket.onopen = () => {
    state = 'open';
    resolve({
      send: (frame) => socket.send(JSON.stringify(frame)),
      close: () => socket.close(normalClosure),
    });
  };
  socket.onmessage = ({ data }) => listener.frame(JSON.parse(String(data)) as ServerFrame);
  socket.onerror = () => {}; // `close` follows, and says as much as may be known
  socket.onclose = ({ code, reason }) => {
    if (state === 'connecting') return reject(new ConnectionClosed(code, `No connection to ${url}.`));
    listener.closed(new ConnectionClosed(code, `The connection has ended: ${reason || code}.`));
  };
  return promise;
}
