// Frames that break the WebSocket protocol: reserved bits, wrong lengths, wrong closes, texts that are no UTF-8.
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
import { closeFrame, frameBytes, opcodes, rawTextFrame, upgradeText } from './raw-socket.ts';

const { continuation, text, binary, close, ping, pong } = opcodes;
const bad = (what: string, ...shapes: readonly Parameters<typeof frameBytes>[0][]): BadSocket =>
  joinedSocket(what, violation, write(...shapes.map(frameBytes)));

function* brokenFrames(): Generator<BadSocket> {
  for (const [name, opcode] of Object.entries(opcodes)) {
    if (opcode !== continuation) yield bad(`${name}, not masked`, { opcode, payload: 'xx', isMasked: false });
    for (const rsv of [1, 2, 4, 7]) yield bad(`${name} with the reserved bits ${rsv}`, { opcode, rsv, payload: 'xx' });
  }
  for (const opcode of [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
    yield bad(`the reserved opcode ${opcode}`, { opcode, payload: 'x' });
  for (const opcode of [close, ping, pong]) {
    yield bad(`a control frame ${opcode} in pieces`, { opcode, fin: false });
    yield bad(`a control frame ${opcode} of 126 bytes`, { opcode, payload: 'x'.repeat(126) });
    yield bad(`a control frame ${opcode} with a length of 8 bytes`, { opcode, payload: 'xx', lengthBytes: 8 });
  }
  yield bad('a continuation of nothing', { opcode: continuation, payload: '{}' });
  yield bad('a last continuation of nothing', { opcode: continuation, fin: false, payload: '{}' });
  yield bad('a text within a text', { opcode: text, fin: false, payload: '{' }, { opcode: text, payload: '}' });
  yield bad('bytes within a text', { opcode: text, fin: false, payload: '{' }, { opcode: binary, payload: '}' });
  yield bad('a text within bytes', { opcode: binary, fin: false, payload: '{' }, { opcode: text, payload: '}' });
  yield joinedSocket('HTTP after the upgrade', violation, write(upgradeText()));
  yield joinedSocket(
    'a hello of TLS after the upgrade',
    violation,
    write(Buffer.from('160301020001000001fc0303', 'hex')),
  );
  yield joinedSocket('ones', violation, write(Buffer.alloc(1_000, 0xff)));
  yield joinedSocket('zeros', violation, write(Buffer.alloc(1_000)));
}

function* closes(): Generator<BadSocket> {
  for (const code of [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65_535])
    yield joinedSocket(`the close code ${code}`, violation, write(closeFrame(code)));
  yield bad('a close frame of one byte', { opcode: close, payload: 'x' });
  yield joinedSocket(
    'a close reason that is no UTF-8',
    { closed: 1007 },
    write(closeFrame(1000, Buffer.from([0xc3, 0x28]))),
  );
  for (const code of [1000, 1001, 1008, 3000, 4401, 4999])
    yield joinedSocket(
      `a close with ${code}, then more`,
      { closed: code },
      write(closeFrame(code, 'bye'), rawTextFrame({ type: 'PING', ref: 'p' })),
    );
  yield joinedSocket('a close without a code', { closed: 1005 }, write(frameBytes({ opcode: close })));
  yield joinedSocket('two closes', { closed: 1000 }, write(closeFrame(1000), closeFrame(1000)));
  yield joinedSocket('the end of its stream, without a close', { cut: true }, (raw) => void raw.socket.end());
  yield joinedSocket(
    'the end of its stream in a frame',
    { cut: true },
    (raw) => void raw.socket.end(frameBytes({ opcode: text, length: 100 })),
  );
  yield upgraded('the end of its stream before HELLO', { cut: true }, (raw) => void raw.socket.end());
  yield {
    what: 'the end of its stream before a request',
    from: 'connected',
    outcome: { cut: true },
    does: (raw) => void raw.socket.end(),
  };
}

const noUtf8 = [
  'ff',
  'fe',
  'c0af',
  'c328',
  'e28028',
  'eda080',
  'f0288cbc',
  'f8888080',
  'f4908080',
  '80',
  '7bc2',
  'e282',
];

function* badTexts(): Generator<BadSocket> {
  for (const hex of noUtf8)
    yield joinedSocket(
      `a text of the bytes ${hex}`,
      { closed: 1007 },
      write(frameBytes({ opcode: text, payload: Buffer.from(hex, 'hex') })),
    );
  yield joinedSocket(
    'a text whose last piece is no UTF-8',
    { closed: 1007 },
    write(
      frameBytes({ opcode: text, fin: false, payload: '{' }),
      frameBytes({ opcode: continuation, payload: Buffer.from('c3', 'hex') }),
    ),
  );
  yield joinedSocket('an empty text', { served: true, errors: ['not_json'] }, write(frameBytes({ opcode: text })));
  yield joinedSocket(
    'an empty binary message',
    { served: true, errors: ['not_text'] },
    write(frameBytes({ opcode: binary })),
  );
  yield joinedSocket('a wrong mask', { served: true, errors: ['not_json'] }, (raw) => {
    const frame = frameBytes({ opcode: text, payload: ' '.repeat(40) });
    frame.fill(0x20, 6); // the payload is not masked by the key that the frame has: characters, but no JSON
    frame.fill(0x01, 2, 6);
    raw.write(frame);
  });
}

const { frameBytes: frameLimit } = defaultGatewayLimits;

function* sizes(): Generator<BadSocket> {
  const tooLong: SocketOutcome = { closed: 1009 };
  for (const length of [4 * frameLimit + 1, 2 ** 24, 2 ** 31, 2 ** 32, 2 ** 52])
    yield joinedSocket(`the announcement of ${length} bytes`, tooLong, write(frameBytes({ opcode: text, length })));
  for (const length of [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])
    yield joinedSocket(`the announcement of ${length} bytes`, tooLong, write(frameBytes({ opcode: binary, length })));
  yield joinedSocket('pieces that are too long together', tooLong, (raw) => {
    raw.write(frameBytes({ opcode: text, fin: false, payload: ' '.repeat(frameLimit) }));
    for (let i = 0; i < 4; i++)
      raw.write(frameBytes({ opcode: continuation, fin: false, payload: ' '.repeat(frameLimit) }));
  });
  yield joinedSocket('a message in 20 000 pieces', { closed: 1008 }, (raw) => {
    raw.write(frameBytes({ opcode: text, fin: false, payload: ' ' }));
    raw.write(
      Buffer.concat(
        Array.from({ length: 20_000 }, () => frameBytes({ opcode: continuation, fin: false, payload: ' ' })),
      ),
    );
  });
  yield joinedSocket('a message in empty pieces', { closed: 1008 }, (raw) => {
    raw.write(frameBytes({ opcode: text, fin: false }));
    raw.write(Buffer.concat(Array.from({ length: 20_000 }, () => frameBytes({ opcode: continuation, fin: false }))));
  });
  yield joinedSocket('a length in more bytes than it needs', served, (raw) =>
    raw.write(frameBytes({ opcode: text, payload: pingText('long'), lengthBytes: 8 })),
  );
}

export const socketsWithBrokenFrames: readonly BadSocket[] = [
  ...brokenFrames(),
  ...closes(),
  ...badTexts(),
  ...sizes(),
];
