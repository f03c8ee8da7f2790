// The binary frames of sound: what is encoded is decoded, and bytes of any kind are a frame or a sentence.
import { describe, expect, test } from 'vitest';
import { decodeSound, encodeSound, type SoundFrame, type SoundKind } from '../../src/wire/sound-codec.ts';
import { fc } from '../support/property.ts';

const other: Readonly<Record<SoundKind, SoundKind>> = { speaker: 'speech', speech: 'speaker' };

describe('a frame of sound', () => {
  test('is encoded as docs/protocol.md has it', () => {
    const pcm = Uint8Array.of(1, 2, 3, 4);
    const frame = encodeSound({ kind: 'speech', session: 'standup', name: 'turn_7', block: 0, position: 480, pcm });
    const header = '01 02 07 00 06 00 00 00 e0 01 00 00  73 74 61 6e 64 75 70  74 75 72 6e 5f 37  01 02 03 04';
    expect(Buffer.from(frame).toString('hex')).toBe(header.replaceAll(' ', ''));
  });

  test('is decoded as it was encoded, and only as its kind [voice.sound]', () => {
    const frames: readonly SoundFrame[] = [
      { kind: 'speaker', session: 's', name: '', block: 0, position: 0, pcm: Uint8Array.of(0, 128) },
      { kind: 'speaker', session: 'a/b', name: 'Zoë 🦊', block: 0, position: 4_294_967_295, pcm: new Uint8Array(960) },
      {
        kind: 'speech',
        session: 'x'.repeat(128),
        name: 't'.repeat(128),
        block: 65_535,
        position: 7,
        pcm: new Uint8Array(2),
      },
    ];
    for (const frame of frames) {
      const message = encodeSound(frame);
      expect(decodeSound(message, frame.kind)).toEqual({ ok: true, sound: frame });
      expect(decodeSound(message, other[frame.kind])).toMatchObject({ ok: false });
      const within = new Uint8Array(message.length + 3);
      within.set(message, 3);
      expect(decodeSound(within.subarray(3), frame.kind)).toEqual({ ok: true, sound: frame });
    }
  });

  test('of random bytes is refused in a sentence, or is whole [voice.sound]', () => {
    const header = fc.tuple(
      fc.constantFrom(1, 2),
      fc.constantFrom(1, 2),
      fc.nat(4),
      fc.constantFrom(0, 1),
      fc.nat(4),
      fc.constant(0),
    );
    const bytes = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(fc.option(header), bytes, (start, rest) => {
        const decoded = decodeSound(Uint8Array.from([...(start ?? []), ...rest]), 'speaker');
        if (decoded.ok) expect(decoded.sound.pcm.length % 2).toBe(0);
        else expect(decoded.message).toMatch(/^The sound is not valid: .+\.$/);
      }),
    );
  });
});
