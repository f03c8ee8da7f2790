// Markdown as lines of a terminal: each block readable without colors, within the columns.
import { expect, test } from 'vitest';
import { lineWidth } from '../../../src/programs/chat-lines/line-width.ts';
import { plainText } from '../../../src/programs/chat-lines/styled-text.ts';
import { markdownLines } from './markdown-text.ts';

const shown = (text: string, columns = 40) => markdownLines(text, columns).map(plainText);

test('paragraphs are wrapped at words, and a hard break stays one [cli.chat]', () => {
  expect(shown('The build has run,\nand **all** of it `passed`.  \nGood.')).toEqual([
    'The build has run, and all of it passed.',
    'Good.',
  ]);
});

test('styles are those of the text, also in each other', () => {
  const [line = []] = markdownLines('a **b *c*** `d` ~~e~~ _f_', 40);
  expect(line.filter(({ style }) => style !== 'plain').map(({ text, style }) => [text, style])).toEqual([
    ['b ', 'strong'],
    ['c', 'strong-emphasis'],
    ['d', 'code'],
    ['e', 'struck'],
    ['f', 'emphasis'],
  ]);
});

test('a link has its address behind it, once', () => {
  expect(shown('See [the docs](https://a.example/b) and <https://c.example>.', 80)).toEqual([
    'See the docs (https://a.example/b) and https://c.example.',
  ]);
  expect(shown('![a chart](https://a.example/c.png)', 80)).toEqual(['image: a chart (https://a.example/c.png)']);
});

test('lists, tasks, quotes and code have marks that are no colors', () => {
  expect(
    shown(
      '# Done\n\n1. one\n2. two\n   - deep\n\n- [x] yes\n- [ ] no\n\n> quoted\n\n```ts\nlet a;\n\tb();\n```\n\n---',
    ),
  ).toEqual([
    'Done',
    '',
    '1. one',
    '2. two',
    '   • deep',
    '',
    '☑ yes',
    '☐ no',
    '',
    '▎ quoted',
    '',
    '│ let a;',
    '│     b();',
    '',
    '─'.repeat(40),
  ]);
});

const table = '| File | Lines |\n|---|---:|\n| chat.ts | 93 |\n| 日本語.ts | 7 |\n';

test('a table has columns that fit, with wide characters', () => {
  expect(shown(table)).toEqual(['File      │ Lines', '──────────┼──────', 'chat.ts   │    93', '日本語.ts │     7']);
  const wide = `| a | b |\n|---|---|\n| ${'one '.repeat(20)}| ${'two '.repeat(20)}|\n`;
  expect(markdownLines(wide, 40).every((line) => lineWidth(line) <= 40)).toBe(true);
});

test('a table with more columns than the terminal can hold is a list of its cells', () => {
  const head = Array.from({ length: 8 }, (_, at) => `head ${at}`);
  const row = head.map((_, at) => `cell ${at}`);
  const text = `|${head.join('|')}|\n|${head.map(() => '---').join('|')}|\n|${row.join('|')}|\n`;
  expect(shown(text)).toEqual(head.map((name, at) => `${name}: ${row[at]}`));
});

test('HTML is text, and what steers a terminal is removed [access.names]', () => {
  expect(shown('<b>bold</b> &amp; \u001b[31mred\u0007 `\u009b2J`', 80)).toEqual(['<b>bold</b> & [31mred 2J']);
});

test('a text that is nested without end is shown all the same', () => {
  expect(shown(`${'>'.repeat(5_000)} a`).join('')).toContain('>>>>');
  const list = Array.from({ length: 40 }, (_, depth) => `${'  '.repeat(depth)}- item`).join('\n');
  expect(markdownLines(list, 40).every((line) => lineWidth(line) <= 40)).toBe(true);
});
