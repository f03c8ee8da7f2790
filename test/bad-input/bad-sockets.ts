// Sockets that use the protocol as no client would: slow, silent, out of order, flooding; with those whose frames are broken.
import { setTimeout as pause } from 'node:timers/promises';
import { defaultGatewayLimits } from '../../src/gateway/gateway-limits.ts';
import {
  type BadSocket,
  joinedSocket,
  pingText,
  type SocketOutcome,
  served,
  upgraded,
  violation,
  write,
} from './bad-socket.ts';
import { socketsWithBrokenFrames } from './broken-frames.ts';
import { frameBytes, opcodes, type RawSocket, rawTextFrame, upgradeText } from './raw-socket.ts';

const { continuation, text, binary, ping, pong } = opcodes;
const { frameBytes: frameLimit } = defaultGatewayLimits;
const json = JSON.stringify;

function* slowness(): Generator<BadSocket> {
  const letters = async (raw: RawSocket, bytes: Uint8Array, ms: number) => {
    for (const byte of bytes) {
      raw.write(Uint8Array.of(byte));
      await pause(ms);
    }
  };
  yield joinedSocket('a frame byte by byte', served, (raw) =>
    letters(raw, rawTextFrame({ type: 'PING', ref: 'slow' }), 5),
  );
  const message = pingText('in-pieces');
  for (const at of [0, 1, 7, message.length - 1, message.length])
    yield joinedSocket(`a frame in two pieces, at ${at}`, served, (raw) => {
      raw.write(frameBytes({ opcode: text, fin: false, payload: message.slice(0, at) }));
      raw.write(frameBytes({ opcode: ping, payload: 'between' }));
      raw.write(frameBytes({ opcode: continuation, payload: message.slice(at) }));
    });
  yield joinedSocket('a frame in a piece for each character', served, (raw) => {
    for (const [i, character] of [...message].entries())
      raw.write(
        frameBytes({ opcode: i === 0 ? text : continuation, fin: i === message.length - 1, payload: character }),
      );
  });
  yield joinedSocket('a frame that never ends', { closed: 4409, reason: 'heartbeat_lost' }, (raw) =>
    raw.write(frameBytes({ opcode: text, length: 100, payload: '{' })),
  );
  yield { what: 'silence', from: 'connected', outcome: { cut: true }, does: () => {} };
  yield { what: 'half a request', from: 'connected', outcome: { cut: true }, does: write(upgradeText().slice(0, 60)) };
  yield {
    what: 'an upgrade byte by byte',
    from: 'connected',
    outcome: { cut: true },
    does: (raw) => letters(raw, Buffer.from(upgradeText()), 20),
  };
  yield upgraded('silence after the upgrade', { closed: 4408, reason: 'hello_timeout' }, () => {});
  yield upgraded('pings, and no HELLO', { closed: 4408, reason: 'hello_timeout' }, async (raw) => {
    for (let i = 0; i < 40 && raw.end === null; i++) {
      raw.write(frameBytes({ opcode: ping }));
      await pause(100);
    }
  });
  yield upgraded('bad frames, and no HELLO', { closed: 4400, reason: 'too_many_errors' }, (raw) => {
    for (let i = 0; i < 30; i++) raw.write(rawTextFrame('{'));
  });
  yield joinedSocket('no answer to a ping', { closed: 4409, reason: 'heartbeat_lost' }, () => {});
}

function* controls(): Generator<BadSocket> {
  for (const size of [0, 1, 125]) {
    const pongOf = (raw: RawSocket) =>
      raw.frames.some(({ opcode, payload }) => opcode === pong && payload.length === size);
    yield joinedSocket(`a ping of ${size} bytes`, served, async (raw) => {
      raw.write(frameBytes({ opcode: ping, payload: 'x'.repeat(size) }));
      for (let i = 0; !pongOf(raw) && i < 500; i++) await pause(10);
      if (!pongOf(raw)) throw new Error('no pong');
    });
    yield joinedSocket(`pongs of ${size} bytes that nobody asked for`, served, (raw) => {
      for (let i = 0; i < 90; i++) raw.write(frameBytes({ opcode: pong, payload: 'x'.repeat(size) }));
    });
  }
  const all = (count: number, opcode: number) =>
    write(Buffer.concat(Array.from({ length: count }, () => frameBytes({ opcode }))));
  yield joinedSocket('90 pings at once', served, all(90, ping));
  yield joinedSocket('2 000 pings at once', { closed: 4429, reason: 'flood' }, all(2_000, ping));
  yield joinedSocket('2 000 pongs at once', { closed: 4429, reason: 'flood' }, all(2_000, pong));
}

function* order(): Generator<BadSocket> {
  const hello = { type: 'HELLO' };
  const first = (frame: object): BadSocket =>
    upgraded(`${json(frame)} before HELLO`, { closed: 4408, reason: 'hello_timeout' }, write(rawTextFrame(frame)));
  yield first({ type: 'JOIN', ref: 'j', session: 'pit' });
  yield first({ type: 'SAY', text: 'hello' });
  yield first({ type: 'CANCEL', target: 'session', session: 'garden' });
  const refused: SocketOutcome = { closed: 4401, reason: 'unauthorized' };
  yield upgraded('HELLO without a token', refused, write(rawTextFrame(hello)));
  for (const token of ['x', 'token-of-good-0001', 'a.b.c', '__proto__', 'null', 'x'.repeat(8_192)])
    yield upgraded(`HELLO with the token ${token.slice(0, 20)}`, refused, write(rawTextFrame({ ...hello, token })));
  yield upgraded('a bad HELLO and commands in one packet', refused, (raw) =>
    raw.write(
      Buffer.concat([
        rawTextFrame(hello),
        rawTextFrame({ type: 'JOIN', ref: 'j', session: 'garden', after: 0 }),
        rawTextFrame({ type: 'SAY', session: 'garden', text: 'x' }),
      ]),
    ),
  );
  yield joinedSocket('HELLO again', { served: true, errors: ['hello_repeated'] }, write(rawTextFrame(hello)));
  yield joinedSocket(
    'a JOIN of the others',
    { served: true, errors: ['access_denied'] },
    write(rawTextFrame({ type: 'JOIN', ref: 'j', session: 'garden' })),
  );
  yield joinedSocket(
    'a CANCEL of the others',
    { served: true, errors: ['not_joined'] },
    write(rawTextFrame({ type: 'CANCEL', session: 'garden', target: 'session' })),
  );
  yield joinedSocket(
    'a command after LEAVE',
    { served: true, errors: ['not_joined'] },
    write(rawTextFrame({ type: 'LEAVE', ref: 'l' }), rawTextFrame({ type: 'SAY', text: 'x' })),
  );
  yield {
    what: 'HELLO in the packet of the upgrade',
    from: 'connected',
    outcome: { closed: 4401, reason: 'unauthorized' },
    does: (raw) => raw.write(Buffer.concat([Buffer.from(upgradeText()), rawTextFrame(hello)])),
  };
  yield {
    what: 'a compressed frame after an offer to compress',
    from: 'connected',
    outcome: violation,
    does: (raw) =>
      raw.write(
        Buffer.concat([
          Buffer.from(upgradeText({ 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' })),
          frameBytes({ opcode: text, rsv: 4, payload: 'x' }),
        ]),
      ),
  };
}

function* floods(): Generator<BadSocket> {
  const many = (count: number, frame: (i: number) => object | string) =>
    write(Buffer.concat(Array.from({ length: count }, (_, i) => rawTextFrame(frame(i)))));
  const flood: SocketOutcome = { closed: 4429, reason: 'flood' };
  yield joinedSocket(
    '500 PINGs at once',
    flood,
    many(500, (i) => ({ type: 'PING', ref: `p${i}` })),
  );
  yield joinedSocket(
    '500 CANCELs at once',
    flood,
    many(500, (i) => ({ type: 'CANCEL', ref: `c${i}`, target: 'mine' })),
  );
  yield joinedSocket('500 binary messages at once', { closed: 4400, reason: 'too_many_errors' }, (raw) => {
    for (let i = 0; i < 500; i++) raw.write(frameBytes({ opcode: binary, payload: 'x' }));
  });
  for (const wrong of ['', '{', '[]', '{"type":"STEER"}', '{"type":"SAY"}', '{"type":"PING","ref":"p","owner":"good"}'])
    yield joinedSocket(
      `40 times ${wrong}`,
      { closed: 4400, reason: 'too_many_errors' },
      many(40, () => wrong),
    );
  yield joinedSocket(
    '40 frames that are too large',
    { closed: 4400, reason: 'too_many_errors' },
    many(40, () => ' '.repeat(frameLimit + 1)),
  );
}

export const badSockets: readonly BadSocket[] = [
  ...socketsWithBrokenFrames,
  ...slowness(),
  ...controls(),
  ...order(),
  ...floods(),
];
