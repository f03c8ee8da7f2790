// The part of an answer that is spoken, the pieces that it is divided into, and the words that are its echo.
import { describe, expect, test } from 'vitest';
import { endOfPiece, isEcho, speakableText } from '../../src/page/talk/speakable-text.ts';

describe('speakable text', () => {
  test.each([
    ['**Bold** and `code`.', '  Bold   and  code .'],
    ['- one\n2. two\n# three', '  one\n   two\n  three'],
    ['See [the page](https://x.test/a) now.', `See  the page${' '.repeat(19)} now.`],
    ['Go to https://x.test/a?b=1 now', 'Go to                      now'],
    ['Run:\n```sh\nrm -rf .\n```\nDone.', `Run:\n${' '.repeat(5)}\n${' '.repeat(8)}\n${' '.repeat(3)}\nDone.`],
    ['Before ```never closed', `Before ${' '.repeat(8)} ${' '.repeat(6)}`],
  ])('of %j has its length, and is %j', (text, spoken) => {
    expect(speakableText(text)).toBe(spoken);
    expect(spoken).toHaveLength(text.length);
  });
});

/** The pieces of a whole text. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; ; ) {
    const end = endOfPiece(text, at, true);
    if (end === null) return pieces;
    pieces.push(text.slice(at, end));
    at = end;
  }
}

describe('a piece', () => {
  test('ends with its sentence or line; a text that streams waits for that', () => {
    expect(piecesOf('One. "Two!" Three\nfour')).toEqual(['One.', ' "Two!"', ' Three\n', 'four']);
    expect(endOfPiece('One. Two', 4, false)).toBeNull();
    expect(endOfPiece('One.', 0, false)).toBeNull(); // it may be 1.5
    expect(endOfPiece('One. ', 0, false)).toBe(4);
    expect(endOfPiece('', 0, true)).toBeNull();
  });

  test('of a sentence without end is bounded, and nothing of it is lost', () => {
    for (const text of ['word '.repeat(300), 'x'.repeat(1_000)]) {
      const pieces = piecesOf(text);
      expect(pieces.join('')).toBe(text);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(220);
      expect(endOfPiece(text, 0, false)).toBeGreaterThan(0);
    }
  });
});

test.each([
  ['the first of', 'The first, of the four.', true],
  ['first the', 'The first, of the four.', false],
  ['stop', 'Say stop to stop it.', false], // one word is meant
  ['he first', 'The first', false],
  ['and stop that', 'The first', false],
])('%j after %j is an echo: %s', (heard, spoken, isOne) => {
  expect(isEcho(heard, spoken)).toBe(isOne);
});
