// Lines of a terminal at its width: cut, wrapped between words, wide characters whole.
import { describe, expect, test } from 'vitest';
import { clipText, displayWidth } from '../../../src/core/text/display-width.ts';
import { clipLine, lineWidth, wrapLine } from '../../../src/programs/chat-lines/line-width.ts';
import { lineOf, paint, plainText, span } from '../../../src/programs/chat-lines/styled-text.ts';

const family = '👩‍👩‍👧';

test('wide characters have two columns, combined ones those of their base', () => {
  expect([displayWidth('build'), displayWidth('日本'), displayWidth(family), displayWidth('e\u0301')]).toEqual([
    5, 4, 2, 1,
  ]);
});

test('a line that is too wide is cut before the character that does not fit', () => {
  expect(clipText('日本語', 6)).toBe('日本語');
  expect(clipText('日本語', 5)).toBe('日本…');
  expect(clipText('日本語', 4)).toBe('日…');
  expect(clipText(`${family}${family}`, 3)).toBe(`${family}…`);
  const clipped = clipLine([span('shell', 'strong'), span(' npm run build', 'soft')], 12);
  expect(clipped).toEqual([span('shell', 'strong'), span(' npm r…', 'soft')]);
  expect(plainText(clipLine([span('日'), span('本')], 3))).toBe('日…');
});

describe('a line that is wrapped', () => {
  const wrapped = (text: string, columns: number) => wrapLine(lineOf(text), columns).map(plainText);

  test('is divided between words, without a blank at the end of a line', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapped('', 8)).toEqual(['']);
  });

  test('is divided in a word that is wider than the line', () => {
    expect(wrapped('see https://example.com', 8)).toEqual(['see', 'https://', 'example.', 'com']);
    expect(wrapped('日本語', 5)).toEqual(['日本', '語']);
    expect(wrapped('日本', 1).every((line) => lineWidth(lineOf(line)) <= 2)).toBe(true);
  });

  test('keeps the styles of its pieces', () => {
    expect(wrapLine([span('stop '), span('means stopped', 'strong')], 10)).toEqual([
      [span('stop '), span('means', 'strong')],
      [span('stopped', 'strong')],
    ]);
  });
});

test('paint shows styles where the terminal has colors, and lets no escape sequence of a text through', () => {
  const line = [span('a', 'good'), span('\u001b[2Jb\u202e\nc')];
  expect(paint(line, true)).toBe('\u001b[32ma\u001b[39m[2Jb c');
  expect(paint(line, false)).toBe('a[2Jb c');
});
