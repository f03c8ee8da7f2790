// The client of all measurements: a socket of `ws` that notes when each frame arrived. It is not Belay's own client.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { now } from './now.ts';

export interface BenchFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Received {
  readonly frame: BenchFrame;
  readonly at: number;
}

export interface BenchClient {
  /** Sends a frame. Returns when, in milliseconds of `now`. */
  send(frame: BenchFrame): number;
  /** Resolves with the nth frame from now on that fits. Rejects when the connection closes, or after 20 s. */
  receive(fits: (frame: BenchFrame) => boolean, nth?: number): Promise<Received>;
  /** Sends a command. Resolves with the first frame of type `replyType` that has its ref. */
  request(frame: BenchFrame, replyType: string): Promise<Received>;
  /** Says the text in the session; resolves with the end of the turn that it opens. Throws if that did not complete. */
  completeTurn(session: string, text: string): Promise<Received>;
  /** From now on passes each message unparsed to `onMessage`, and no frame to `receive`. */
  tap(onMessage: (data: Buffer) => void): void;
  /** Leaves the sessions that it has joined. */
  close(): void;
}

interface Expectation {
  readonly fits: (frame: BenchFrame) => boolean;
  left: number;
  readonly resolve: (received: Received) => void;
  readonly reject: (error: Error) => void;
}

const timeoutMs = 20_000;
let refs = 0;

export const nextRef = (): string => `r${refs++}`;

export async function connectBenchClient(url: string): Promise<BenchClient> {
  const socket = new WebSocket(url, ['belay.v1'], { perMessageDeflate: false });
  const expected = new Set<Expectation>();
  let handleMessage = (data: Buffer): void => {
    const at = now();
    const frame = JSON.parse(data.toString()) as BenchFrame;
    if (frame.type === 'error') throw new Error(data.toString());
    for (const one of expected) {
      if (!one.fits(frame)) continue;
      one.left -= 1;
      if (one.left > 0) continue;
      expected.delete(one);
      one.resolve({ frame, at });
    }
  };
  socket.on('message', (data: Buffer) => handleMessage(data));
  socket.on('close', (code) => {
    for (const { reject } of expected) reject(new Error(`${url} closed the connection with ${code}`));
  });
  await once(socket, 'open');

  const client: BenchClient = {
    send(frame) {
      const text = JSON.stringify(frame);
      const at = now();
      socket.send(text);
      return at;
    },
    receive(fits, nth = 1) {
      const timeoutError = new Error(`no such frame within ${timeoutMs} ms from ${url}: ${fits}`);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(timeoutError), timeoutMs);
        const arrived = (received: Received) => {
          clearTimeout(timer);
          resolve(received);
        };
        expected.add({ fits, left: nth, resolve: arrived, reject });
      });
    },
    request(frame, replyType) {
      const ref = nextRef();
      const reply = client.receive(({ type, ref: of }) => type === replyType && of === ref);
      client.send({ ...frame, ref });
      return reply;
    },
    async completeTurn(session, text) {
      const ended = client.receive((frame) => frame.type === 'turn_ended' && frame['session'] === session);
      client.send({ type: 'SAY', ref: nextRef(), session, text });
      const end = await ended;
      if (end.frame['outcome'] !== 'completed') throw new Error(`the turn ended as ${JSON.stringify(end.frame)}`);
      return end;
    },
    tap(onMessage) {
      handleMessage = onMessage;
    },
    close: () => socket.close(1000),
  };
  const welcome = client.receive(({ type }) => type === 'welcome');
  client.send({ type: 'HELLO' });
  await welcome;
  return client;
}
