// Live output up to its limit, and the line that says that there is more.
import { expect, test } from 'vitest';
import { LiveOutput } from '../../../src/core/text/live-output.ts';

function shownOf(maxChars: number, ...pieces: readonly string[]): readonly string[] {
  const shown: string[] = [];
  const output = new LiveOutput(maxChars, (text) => shown.push(text));
  for (const piece of pieces) output.push(piece);
  return shown;
}

const note = '[… the rest is not shown live …]\n';

test('output up to the limit is shown as it comes', () => {
  expect(shownOf(6, 'one', '', 'two')).toEqual(['one', 'two']);
});

test('one line, and nothing after it, says that the rest is not shown [history.bounded]', () => {
  expect(shownOf(5, 'one', 'two', 'three')).toEqual(['one', `tw\n${note}`]);
  expect(shownOf(3, 'one', 'two')).toEqual(['one', `\n${note}`]);
  expect(shownOf(4, 'one\n', 'two')).toEqual(['one\n', note]);
});

test('no character is cut in two', () => {
  expect(shownOf(2, 'a😀')).toEqual([`a\n${note}`]);
});
