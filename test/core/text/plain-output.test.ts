// Output of a program as plain lines: sequences that steer a terminal are removed, whether they end or not.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { outputLines } from '../../../src/core/text/plain-output.ts';

const bell = '\u0007';

test.for([
  ['a color', '\u001b[1;31mred\u001b[0m'],
  ['a color in one character', '\u009b31mred\u009b0m'],
  ['a title with a bell', `\u001b]0;title${bell}text`],
  ['a title with a terminator', '\u001b]0;title\u001b\\text'],
  ['a link', '\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\'],
  ['a link with bells', `\u001b]8;;https://a.example${bell}link\u001b]8;;${bell}`],
  ['many titles that do not end', '\u001b]0;'.repeat(50)],
  ['movements', '\u001b[2J\u001b[10;20Htext\u001b[K\u001b[?25l'],
])('%s is removed as by Node [access.names]', ([, text = '']) => {
  const [line = ''] = outputLines(`before ${text} after`);
  expect(line).toBe(stripVTControlCharacters(`before ${text} after`));
});
