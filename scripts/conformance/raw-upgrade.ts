// A WebSocket connection by hand, for bytes that no WebSocket library sends.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { subprotocol } from '../../src/wire/frame-limits.ts';
import { Violation } from './verdict.ts';

const closeOpcode = 0x8;

/** Connects, sends the bytes after the upgrade, and resolves with the code of the close frame. Rejects with a Violation if none comes within `ms`. */
export async function closeCodeAfter(url: string, bytes: Uint8Array, ms: number): Promise<number> {
  const socket = await upgrade(url);
  try {
    return await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Violation(`No close frame came within ${ms} ms.`)), ms);
      let received = Buffer.alloc(0);
      socket.on('data', (data) => {
        received = Buffer.concat([received, data]);
        const code = closeCodeIn(received);
        if (code === null) return;
        clearTimeout(timer);
        resolve(code);
      });
      socket.on('close', () => {
        clearTimeout(timer);
        reject(new Violation('The connection broke without a close frame.'));
      });
      socket.on('error', () => {}); // `close` follows
      socket.write(bytes);
    });
  } finally {
    socket.destroy();
  }
}

function upgrade(url: string): Promise<Socket> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': subprotocol,
  };
  const outgoing = request(url.replace(/^ws/, 'http'), { headers });
  return new Promise((resolve, reject) => {
    outgoing.once('upgrade', (_, socket) => resolve(socket));
    outgoing.once('response', ({ statusCode }) => reject(new Violation(`The upgrade was refused: ${statusCode}.`)));
    outgoing.once('error', reject);
    outgoing.end();
  });
}

/** The code of the first close frame in what a gateway has sent, whose frames are not masked and short before it; null: there is none yet. */
function closeCodeIn(received: Buffer): number | null {
  let at = 0;
  while (received.length >= at + 2) {
    const opcode = received.readUInt8(at) & 0x0f;
    const short = received.readUInt8(at + 1) & 0x7f;
    const start = short === 126 ? at + 4 : at + 2;
    if (received.length < start) return null;
    const length = short === 126 ? received.readUInt16BE(at + 2) : short;
    if (received.length < start + length) return null;
    if (opcode === closeOpcode) return length < 2 ? null : received.readUInt16BE(start);
    at = start + length;
  }
  return null;
}
