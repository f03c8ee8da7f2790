// The client that all servers are measured with: a socket of `ws` that notes when each frame arrived. Belay's own client is not measured.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { now } from './now.ts';

export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Heard {
  readonly frame: Frame;
  readonly at: number;
}

export interface BenchClient {
  /** When it was sent. */
  send(frame: Frame): number;
  /** Resolves with the nth frame from now on that fits. Rejects with the connection's end. */
  hear(fits: (frame: Frame) => boolean, nth?: number): Promise<Heard>;
  /** Sends a command; resolves with the first frame of the type that bears its ref. */
  ask(frame: Frame, answer: string): Promise<Heard>;
  /** Says it in the session; resolves with the end of the turn that it opens. Throws when that did not complete. */
  exchange(session: string, text: string): Promise<Heard>;
  /** Sees every message as it came, instead of `hear`. */
  tap(take: (data: Buffer) => void): void;
  /** Leaves the sessions that it has joined. */
  close(): void;
}

interface Expectation {
  readonly fits: (frame: Frame) => boolean;
  left: number;
  readonly resolve: (heard: Heard) => void;
  readonly reject: (error: Error) => void;
}

const patienceMs = 20_000;
let refs = 0;

export const nextRef = (): string => `r${refs++}`;

export async function connect(url: string): Promise<BenchClient> {
  const socket = new WebSocket(url, ['belay.v1'], { perMessageDeflate: false });
  const expected = new Set<Expectation>();
  let take = (data: Buffer): void => {
    const at = now();
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type === 'error') throw new Error(data.toString());
    for (const one of expected) {
      if (!one.fits(frame)) continue;
      one.left -= 1;
      if (one.left > 0) continue;
      expected.delete(one);
      one.resolve({ frame, at });
    }
  };
  socket.on('message', (data: Buffer) => take(data));
  socket.on('close', (code) => {
    for (const { reject } of expected) reject(new Error(`the connection has ended: ${code}`));
  });
  await once(socket, 'open');

  const client: BenchClient = {
    send(frame) {
      const text = JSON.stringify(frame);
      const at = now();
      socket.send(text);
      return at;
    },
    hear(fits, nth = 1) {
      const late = new Error(`not heard within ${patienceMs} ms at ${url}: ${fits}`);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(late), patienceMs);
        const told = (heard: Heard) => {
          clearTimeout(timer);
          resolve(heard);
        };
        expected.add({ fits, left: nth, resolve: told, reject });
      });
    },
    ask(frame, answer) {
      const ref = nextRef();
      const heard = client.hear(({ type, ref: of }) => type === answer && of === ref);
      client.send({ ...frame, ref });
      return heard;
    },
    async exchange(session, text) {
      const ended = client.hear((frame) => frame.type === 'turn_ended' && frame['session'] === session);
      client.send({ type: 'SAY', ref: nextRef(), session, text });
      const heard = await ended;
      if (heard.frame['outcome'] !== 'completed')
        throw new Error(`the turn has ended as ${JSON.stringify(heard.frame)}`);
      return heard;
    },
    tap(other) {
      take = other;
    },
    close: () => socket.close(1000),
  };
  const welcome = client.hear(({ type }) => type === 'welcome');
  client.send({ type: 'HELLO' });
  await welcome;
  return client;
}
