// The rows of a typed text, and the place of the cursor in them.
import { expect, test } from 'vitest';
import { layOutInput } from '../../../src/programs/terminal/input-rows.ts';

test.each([
  { text: '', at: 0, rows: ['> '], cursor: [0, 2] },
  { text: 'one\ntwo', at: 3, rows: ['> one', '  two'], cursor: [0, 5] },
  { text: 'one\ntwo', at: 4, rows: ['> one', '  two'], cursor: [1, 2] },
  { text: 'one\n', at: 4, rows: ['> one', '  '], cursor: [1, 2] },
  { text: 'abcdefghij', at: 10, rows: ['> abcdefg', '  hij'], cursor: [1, 5] },
  { text: 'abcdefg', at: 7, rows: ['> abcdefg'], cursor: [0, 9] },
  { text: 'abcdefghij', at: 7, rows: ['> abcdefg', '  hij'], cursor: [1, 2] },
  { text: '日本語日本', at: 5, rows: ['> 日本語', '  日本'], cursor: [1, 6] },
  { text: 'e\u0301👍x', at: 4, rows: ['> e\u0301👍x'], cursor: [0, 5] },
  { text: 'a\tb', at: 3, rows: ['> a    b'], cursor: [0, 8] },
])('$text', ({ text, at, rows, cursor: [row, column] }) => {
  expect(layOutInput('> ', text, at, { columns: 10, maxRows: 10 })).toEqual({ rows, cursor: { row, column } });
});

test('of a long text the rows around the cursor are shown', () => {
  const text = Array.from({ length: 20 }, (_, i) => `${i}`).join('\n');
  const end = layOutInput('> ', text, text.length, { columns: 20, maxRows: 4 });
  expect(end).toEqual({ rows: ['  16', '  17', '  18', '  19'], cursor: { row: 3, column: 4 } });
  const middle = layOutInput('> ', text, text.indexOf('10'), { columns: 20, maxRows: 4 });
  expect(middle).toEqual({ rows: ['  8', '  9', '  10', '  11'], cursor: { row: 2, column: 2 } });
  expect(layOutInput('> ', text, 0, { columns: 20, maxRows: 4 }).rows).toEqual(['> 0', '  1', '  2', '  3']);
});
