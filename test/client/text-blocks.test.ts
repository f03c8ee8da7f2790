// The text blocks of a client, for frames in any order and with repetitions.
import { describe, expect, test } from 'vitest';
import { type NewText, TextBlocks } from '../../src/client/text-blocks.ts';
import type { ServerFrameOf, TextDeltaFrame } from '../../src/wire/server-frames.ts';
import { fc } from '../support/property.ts';

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

const textOf = (added: NewText) => added.map(({ text }) => text).join('');

describe('blocks', () => {
  test('append deltas, ignore repeated ones, and after a lost one wait for the end of the block [ws.resume]', () => {
    const blocks = new TextBlocks('s');
    expect(blocks.add(delta(0, 'Hel'))).toMatchObject([{ text: 'Hel' }]);
    expect(blocks.add(delta(0, 'Hel'))).toEqual([]);
    expect(blocks.add(delta(2, 'llo '))).toMatchObject([{ offset: 3, text: 'lo ' }]);
    expect(blocks.add(delta(9, 'late'))).toEqual([]);
    expect(blocks.textOf('t', 0)).toBe('Hello ');
  });

  test('a block that has ended, and a turn that is stopped or over, ignore later text', () => {
    const blocks = new TextBlocks('s');
    blocks.add(delta(0, 'a'));
    blocks.endBlock(ended('abc'));
    expect(blocks.add(delta(3, 'd'))).toEqual([]);
    expect(blocks.textOf('t', 0)).toBe('abc');
    blocks.add(delta(0, 'x', 'u'));
    blocks.closeTurns(['u']);
    expect(blocks.add(delta(1, 'y', 'u'))).toEqual([]);
    blocks.forgetTurn('t');
    expect(blocks.add(delta(0, 'again'))).toEqual([]);
    expect(blocks.open).toEqual([{ turn: 'u', index: 0, offset: 0, text: 'x' }]);
  });

  test('the blocks of a JOIN replace the text', () => {
    const blocks = new TextBlocks('s');
    blocks.add(delta(0, 'old and wrong'));
    blocks.put([{ turn: 't', index: 0, offset: 0, text: 'new' }]);
    expect(blocks.add(delta(3, '!'))).toMatchObject([{ text: '!' }]);
    expect(blocks.textOf('t', 0)).toBe('new!');
  });

  test('after a lost connection a known block goes on, and another waits for the replay [ws.resume]', () => {
    const blocks = new TextBlocks('s');
    blocks.startBlock('t', 0);
    blocks.add(delta(0, 'Hel'));
    expect(textOf(blocks.endBlock(ended('Hello')))).toBe('lo');
    blocks.startBlock('t', 1);
    blocks.add(delta(0, 'The', 't', 1));
    const open = [
      { turn: 't', index: 1, offset: 0, text: 'There' },
      { turn: 'u', index: 0, offset: 0, text: 'Else' },
      { turn: 'v', index: 0, offset: 0, text: 'Last' },
    ];
    expect(blocks.resume(open)).toMatchObject([{ turn: 't', index: 1, offset: 3, text: 're' }]);
    expect(textOf(blocks.startBlock('u', 0))).toBe('Else');
    expect(textOf(blocks.add(delta(4, 'ly', 'v')))).toBe('Lastly');
    expect(blocks.finishReplay()).toEqual([]);
  });

  test('a block whose start is not replayed is emitted at the end of the replay', () => {
    const blocks = new TextBlocks('s');
    expect(blocks.resume([{ turn: 't', index: 0, offset: 0, text: 'far on' }])).toEqual([]);
    expect(textOf(blocks.finishReplay())).toBe('far on');
    expect(textOf(blocks.finishReplay())).toBe('');
  });

  test('the rest of a cancelled block is not streamed, but in its end', () => {
    const blocks = new TextBlocks('s');
    blocks.add(delta(0, 'Hel'));
    expect(blocks.endBlock({ ...ended('Hello'), outcome: 'cancelled' })).toEqual([]);
    expect(blocks.textOf('t', 0)).toBe('Hello');
  });

  test('with repetition, overlap, loss and any order the text is a prefix of the whole, and whole at the end [ws.resume]', () => {
    const piece = fc.record({ from: fc.nat(40), length: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
        fc.array(piece, { maxLength: 40 }),
        (whole, pieces) => {
          const blocks = new TextBlocks('s');
          let emitted = '';
          for (const { from, length } of pieces) {
            const text = whole.slice(from, from + length);
            if (text !== '') emitted += textOf(blocks.add(delta(from, text)));
            expect(whole.startsWith(emitted)).toBe(true);
            expect(blocks.textOf('t', 0) ?? '').toBe(emitted);
          }
          expect(emitted + textOf(blocks.endBlock(ended(whole)))).toBe(whole);
          expect(blocks.textOf('t', 0)).toBe(whole);
        },
      ),
    );
  });
});
