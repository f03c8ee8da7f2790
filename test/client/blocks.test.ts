// The text that a client holds, whatever order and repetition the wire brings.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBlocks } from '../../src/client/blocks.ts';
import type { ServerFrameOf, TextDeltaFrame } from '../../src/protocol/frames.ts';

const delta = (offset: number, text: string, turn = 't', index = 0): TextDeltaFrame => ({
  type: 'text_delta',
  session: 's',
  turn,
  index,
  offset,
  text,
});
const ended = (text: string): ServerFrameOf<'model_ended'> => ({
  type: 'model_ended',
  session: 's',
  turn: 't',
  index: 0,
  outcome: 'completed',
  text,
  cutOff: false,
  usage: { kind: 'unknown', input: null, output: null },
});

describe('blocks', () => {
  test('append, ignore what is known, wait for what is lost [ws.resume]', () => {
    const blocks = createBlocks();
    expect(blocks.add(delta(0, 'Hel'))?.text).toBe('Hel');
    expect(blocks.add(delta(0, 'Hel'))).toBeNull();
    expect(blocks.add(delta(2, 'llo '))).toMatchObject({ offset: 3, text: 'lo ' });
    expect(blocks.add(delta(9, 'late'))).toBeNull();
    expect(blocks.text('t', 0)).toBe('Hello ');
  });

  test('a block that has ended, and a turn that is stopped or over, take no more', () => {
    const blocks = createBlocks();
    blocks.add(delta(0, 'a'));
    blocks.end(ended('abc'));
    expect(blocks.add(delta(3, 'd'))).toBeNull();
    expect(blocks.text('t', 0)).toBe('abc');
    blocks.add(delta(0, 'x', 'u'));
    blocks.stop(['u']);
    expect(blocks.add(delta(1, 'y', 'u'))).toBeNull();
    blocks.forget('t');
    expect(blocks.add(delta(0, 'again'))).toBeNull();
    expect(blocks.open()).toEqual([{ turn: 'u', index: 0, offset: 0, text: 'x' }]);
  });

  test('what a join tells replaces what is held', () => {
    const blocks = createBlocks();
    blocks.add(delta(0, 'old and wrong'));
    blocks.put({ turn: 't', index: 0, offset: 0, text: 'new' });
    expect(blocks.add(delta(3, '!'))?.text).toBe('!');
    expect(blocks.text('t', 0)).toBe('new!');
  });

  test('with repetition, overlap, loss and any order the held text is a prefix, and whole at the end [ws.resume]', () => {
    const piece = fc.record({ from: fc.nat(40), length: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
        fc.array(piece, { maxLength: 40 }),
        (whole, pieces) => {
          const blocks = createBlocks();
          let shown = '';
          for (const { from, length } of pieces) {
            const text = whole.slice(from, from + length);
            if (text !== '') shown += blocks.add(delta(from, text))?.text ?? '';
            expect(whole.startsWith(shown)).toBe(true);
            expect(blocks.text('t', 0) ?? '').toBe(shown);
          }
          blocks.end(ended(whole));
          expect(blocks.text('t', 0)).toBe(whole);
        },
      ),
    );
  });
});
