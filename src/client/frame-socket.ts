// One WebSocket: frames out, frames in, one end. It knows nothing of sessions.

import type { ClientFrame } from '../protocol/client-frames.ts';
import { normalClosure } from '../protocol/close-codes.ts';
import { subprotocol } from '../protocol/frame-limits.ts';
import type { ServerFrame } from '../protocol/server-frames.ts';
import { ConnectionClosed } from './errors.ts';
import type { CreateSocket } from './open-socket.ts';

export interface WireListener {
  opened(): void;
  frame(frame: ServerFrame): void;
  /** The last event, once. */
  closed(why: ConnectionClosed): void;
}

export interface Wire {
  send(frame: ClientFrame): void;
  /** Says goodbye; `closed` follows when the other side has answered. */
  close(): void;
  /** Lets go of it: `closed` follows at once, and nothing else. */
  drop(message: string): void;
}

/** No close frame was seen. */
const noCloseFrame = 1006;

export function openWire(url: string, createSocket: CreateSocket, listener: WireListener): Wire {
  let state: 'connecting' | 'open' | 'closed' = 'connecting';
  const end = (code: number, message: string) => {
    if (state === 'closed') return;
    state = 'closed';
    listener.closed(new ConnectionClosed(code, message));
  };
  const drop = (message: string) => {
    end(noCloseFrame, message);
    socket.close();
    socket.terminate?.();
  };

  const socket = createSocket(url, subprotocol);
  socket.onopen = () => {
    if (state !== 'connecting') return;
    state = 'open';
    listener.opened();
  };
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    if (state !== 'open') return;
    const frame = parse(data);
    if (frame) listener.frame(frame);
    else drop('What came over the connection is no frame.');
  };
  socket.onerror = () => {}; // `close` follows, and says as much as may be known
  socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
    end(code, state === 'connecting' ? `No connection to ${url}.` : endOf(code, reason));
  return {
    send(frame) {
      if (state === 'open') socket.send(JSON.stringify(frame));
    },
    close: () => socket.close(normalClosure),
    drop,
  };
}

/** The close frame's words; without a close frame nobody has said anything. */
function endOf(code: number, reason: string): string {
  if (reason !== '') return `The connection has ended: ${reason}.`;
  return code === noCloseFrame
    ? 'The connection was lost.'
    : `The connection has ended, with the close code ${code} and no reason.`;
}

function parse(data: unknown): ServerFrame | null {
  try {
    return JSON.parse(String(data)) as ServerFrame;
  } catch {
    return null;
  }
}
