// A client over fake sockets that the test controls, under a virtual clock.
import type { ClientState, ReconnectOptions, TokenSource } from '../../src/client/reconnecting-link.ts';
import { createVirtualClock, seededRandom } from '../../src/core/sources/virtual.ts';
import type { AskedSound, ClientFrame } from '../../src/wire/client-frames.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { createCheckedClient } from '../support/checked-client.ts';

/** A socket that the test controls. */
export class FakeSocket {
  readonly sent: ClientFrame[] = [];
  closedWith: number | null | undefined = null;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(code?: number): void {
    this.closedWith = code;
  }
  hear(frame: ServerFrame): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  end(code = 1006, reason = ''): void {
    this.onclose?.({ code, reason });
  }
}

export const limits = {
  frameBytes: 200,
  framesPerSecond: 50,
  frameBurst: 100,
  cancelsPerSecond: 10,
  cancelBurst: 20,
  sessions: 32,
  unanswered: 64,
  heartbeatMs: 15_000,
};
export const welcome: ServerFrame = {
  type: 'welcome',
  protocol: 'belay.v1',
  connection: 'conn_1',
  speaker: 'ann',
  roles: ['member'],
  limits,
};

/** Makes a client. `sockets` are in the order in which it has opened them. */
export function setUpClient(
  options: { token?: TokenSource; reconnect?: boolean | ReconnectOptions; sound?: AskedSound } = {},
) {
  const clock = createVirtualClock();
  const sockets: FakeSocket[] = [];
  const states: ClientState[] = [];
  const client = createCheckedClient({
    url: 'ws://here/belay',
    welcomeMs: 10_000,
    sources: { clock, random: seededRandom(7) },
    createSocket: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    ...options,
  });
  client.on('state', (state) => states.push(state));
  return {
    client,
    clock,
    sockets,
    kinds: () => states.map(({ kind }) => kind),
    pauses: () => states.flatMap((state) => (state.kind === 'reconnecting' ? [state.inMs] : [])),
    /** The newest socket, opened and welcomed. */
    async open(): Promise<FakeSocket> {
      await clock.advance(0);
      const socket = sockets.at(-1) as FakeSocket;
      socket.onopen?.();
      socket.hear(welcome);
      return socket;
    },
    async end(code?: number): Promise<void> {
      await clock.advance(0);
      sockets.at(-1)?.end(code);
      await clock.advance(0);
    },
  };
}
