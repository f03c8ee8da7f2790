// Lines of plain text, as the commands of a chat print them.
import { expect, test } from 'vitest';
import { wrapNote } from '../../../src/programs/chat-lines/note-lines.ts';
import { plainText } from '../../../src/programs/chat-lines/styled-text.ts';
import { slashHelp } from '../../../src/programs/slash-help.ts';

const wrapped = (text: string, columns: number) => wrapNote(text, 'plain', columns).map(plainText);

test('a line is wrapped between words, and what follows is indented like its text [cli.chat]', () => {
  expect(wrapped('There is no command /xyz.', 14)).toEqual(['There is no', 'command /xyz.']);
  expect(wrapped('  with a.txt, b.txt', 14)).toEqual(['  with a.txt,', '  b.txt']);
  expect(wrapped('  /new [NAME]  go to a new session', 30)).toEqual([
    '  /new [NAME]  go to a new',
    '               session',
  ]);
  expect(wrapped('  /new [NAME]  go to a new', 16)).toEqual(['  /new [NAME]', '  go to a new']);
  expect(wrapped('', 10)).toEqual(['']);
});

test('each line of the help fits on a terminal of 80 columns [cli.chat]', () => {
  expect(slashHelp.filter((line) => line.length > 79)).toEqual([]);
});
