// A TCP connection that speaks HTTP and WebSocket by hand, byte by byte: what no library would send can be sent.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { until } from '../support/until.ts';

/** A frame of the WebSocket protocol that the gateway has sent. */
interface ReceivedFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface FrameShape {
  readonly opcode: number;
  readonly payload?: Uint8Array | string;
  /** Whether it is the last frame of its message. Default: true. */
  readonly fin?: boolean;
  /** Whether its payload is masked. Default: true. */
  readonly isMasked?: boolean;
  /** The three reserved bits. */
  readonly rsv?: number;
  /** The length that the frame says it has. */
  readonly length?: number | bigint;
  /** The bytes of the length: 0, 2 or 8; chosen by the length if left out. */
  readonly lengthBytes?: 0 | 2 | 8;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Returns the bytes of a frame. */
export function frameBytes(shape: FrameShape): Buffer {
  const { opcode, fin = true, isMasked = true, rsv = 0 } = shape;
  const payload = Buffer.from(shape.payload ?? '');
  const length = BigInt(shape.length ?? payload.length);
  const lengthBytes = shape.lengthBytes ?? (length < 126n ? 0 : length < 65_536n ? 2 : 8);
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (lengthBytes === 0 ? Number(length) : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) head.writeUInt16BE(Number(length), 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(length, 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}

export const rawTextFrame = (frame: object | string): Buffer =>
  frameBytes({ opcode: opcodes.text, payload: typeof frame === 'string' ? frame : JSON.stringify(frame) });

/** Returns a close frame. */
export function closeFrame(code: number, reason: Uint8Array | string = ''): Buffer {
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason)]);
  payload.writeUInt16BE(code);
  return frameBytes({ opcode: opcodes.close, payload });
}

interface HttpResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const endOfHead = '\r\n\r\n';

export class RawSocket {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  /** `fin`: the gateway has closed the connection; `reset`: it was cut. */
  end: 'fin' | 'reset' | null = null;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
    });
    this.socket.on('end', () => {
      this.end ??= 'fin';
    });
    this.socket.on('error', () => {
      this.end ??= 'reset';
    });
    this.socket.on('close', () => {
      this.end ??= 'reset';
    });
  }

  write(data: Uint8Array | string): void {
    if (!this.socket.destroyed) this.socket.write(data);
  }

  /** Resolves with the response; null if the connection has ended without one. */
  async response(ms = 10_000): Promise<HttpResponse | null> {
    const whole = () => {
      const text = this.#received.toString('latin1');
      const [head = '', body] = text.split(endOfHead, 2);
      if (body !== undefined) return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, body };
      return this.end === null ? null : { status: 0, head, body: '' };
    };
    const found = await until(whole, { ms, what: 'a response' });
    return found.status === 0 ? null : found;
  }

  /** The frames so far. */
  get frames(): readonly ReceivedFrame[] {
    const frames: ReceivedFrame[] = [];
    let rest = this.#received.subarray(this.#received.indexOf(endOfHead) + endOfHead.length); // after the response to the upgrade
    while (rest.length >= 2) {
      const [first = 0, second = 0] = rest;
      const extended = second === 127 ? 8 : second === 126 ? 2 : 0;
      if (rest.length < 2 + extended) break;
      const length = extended === 8 ? Number(rest.readBigUInt64BE(2)) : extended === 2 ? rest.readUInt16BE(2) : second;
      if (rest.length < 2 + extended + length) break;
      frames.push({ opcode: first & 0x0f, payload: rest.subarray(2 + extended, 2 + extended + length) });
      rest = rest.subarray(2 + extended + length);
    }
    return frames;
  }

  /** The messages so far, as objects. */
  get messages(): readonly Readonly<Record<string, unknown>>[] {
    return this.frames.flatMap(({ opcode, payload }) =>
      opcode === opcodes.text ? [JSON.parse(payload.toString())] : [],
    );
  }

  /** The code and the reason of the gateway's close frame; null: there is none. */
  get closed(): { readonly code: number; readonly reason: string } | null {
    const frame = this.frames.find(({ opcode }) => opcode === opcodes.close);
    if (!frame) return null;
    return {
      code: frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE(),
      reason: frame.payload.toString('utf8', 2),
    };
  }

  destroy(): void {
    this.socket.destroy();
  }
}

const handshake: Readonly<Record<string, string>> = {
  Host: '127.0.0.1',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': 'belay.v1',
};

/** Returns the text of an upgrade, with some headers changed; undefined: left out. */
export function upgradeText(
  headers: Readonly<Record<string, string | undefined>> = {},
  { method = 'GET', path = '/belay', version = 'HTTP/1.1' } = {},
): string {
  const all = Object.entries({ ...handshake, ...headers }).filter(([, value]) => value !== undefined);
  return [`${method} ${path} ${version}`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
}
