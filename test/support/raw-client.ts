// A WebSocket client for tests without the client library: it checks each frame against the schemas, and can misbehave (raw texts, no pongs, wrong headers).
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { AskedSound } from '../../src/wire/client-frames.ts';
import { subprotocol } from '../../src/wire/frame-limits.ts';
import { serverSchemas } from '../../src/wire/server-frames.ts';
import { decodeSound, type SoundFrame } from '../../src/wire/sound-codec.ts';
import { until } from './until.ts';

export interface RawFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface ReceivedSound extends SoundFrame {
  readonly after: number;
}

export interface RawOptions {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly origin?: string;
  /** Whether it answers pings. */
  readonly pongs?: boolean;
}

export interface RawClient {
  readonly socket: WebSocket;
  readonly frames: RawFrame[];
  /** The binary frames, decoded, in the order in which they came among the others (`after`: how many of those were there). */
  readonly sounds: ReceivedSound[];
  /** Sends an object as JSON, a string or bytes as they are. */
  send(frame: object | string | Uint8Array): void;
  /** Resolves with the first frame, also an earlier one, that has this type and these fields. */
  waitFor(type: string, fields?: Readonly<Record<string, unknown>>): Promise<RawFrame>;
  all(type: string): readonly RawFrame[];
  /** Sends HELLO. Resolves with the welcome. */
  hello(token?: string, sound?: AskedSound): Promise<RawFrame>;
  join(session: string, after?: number): Promise<RawFrame>;
  /** Resolves with the code and the reason of the close. */
  closed(): Promise<{ readonly code: number; readonly reason: string }>;
}

/** Connects. Rejects when the upgrade is rejected, with the status in the message. */
export async function connectRaw(url: string, options: RawOptions = {}): Promise<RawClient> {
  const { protocols = [subprotocol], headers = {}, origin, pongs = true } = options;
  const socket = new WebSocket(url, [...protocols], { headers, ...(origin && { origin }), autoPong: pongs });
  onTestFinished(() => socket.terminate());
  const frames: RawFrame[] = [];
  const sounds: ReceivedSound[] = [];
  let end: { code: number; reason: string } | null = null;
  const wrong: string[] = [];
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      const decoded = decodeSound(data as Buffer, 'speech');
      if (decoded.ok) sounds.push({ ...decoded.sound, after: frames.length });
      else wrong.push(decoded.message);
      return;
    }
    const frame: RawFrame = JSON.parse(data.toString());
    frames.push(frame);
    if (!protocols.includes(subprotocol)) return; // a client of another protocol: the inspector's
    const error = serverSchemas.get(frame.type)?.safeParse(frame).error;
    if (error || !serverSchemas.has(frame.type)) wrong.push(`${data}: ${error?.message ?? 'no such type'}`);
  });
  onTestFinished(() => expect(wrong, 'frames that are not of belay.v1').toEqual([]));
  socket.on('close', (code, reason) => {
    end = { code, reason: reason.toString() };
  });
  await once(socket, 'open');
  socket.on('error', () => {});
  let refs = 0;

  const waitFor = (type: string, fields: Readonly<Record<string, unknown>> = {}) =>
    until(
      () =>
        frames.find(
          (frame) => frame.type === type && Object.entries(fields).every(([key, value]) => frame[key] === value),
        ),
      {
        what: `the frame ${type} ${JSON.stringify(fields)}; received: ${frames.map((frame) => frame.type).join(', ')}`,
      },
    );
  const client: RawClient = {
    socket,
    frames,
    sounds,
    send: (frame) =>
      socket.send(typeof frame === 'string' || frame instanceof Uint8Array ? frame : JSON.stringify(frame)),
    waitFor,
    all: (type) => frames.filter((frame) => frame.type === type),
    hello(token, sound) {
      client.send({ type: 'HELLO', ...(token !== undefined && { token }), ...(sound && { sound }) });
      return waitFor('welcome');
    },
    join(session, after) {
      const ref = `join-${++refs}`;
      client.send({ type: 'JOIN', ref, session, ...(after !== undefined && { after }) });
      return waitFor('joined', { ref });
    },
    closed: () => until(() => end, { what: 'the end of the connection' }),
  };
  return client;
}

/** Resolves with the status with which an upgrade is rejected. */
export async function refusedUpgrade(url: string, options: RawOptions = {}): Promise<number> {
  try {
    await connectRaw(url, options);
  } catch (error) {
    const status = /Unexpected server response: (\d+)/.exec(String(error))?.[1];
    if (status) return Number(status);
    throw error;
  }
  throw new Error('the upgrade was accepted');
}
