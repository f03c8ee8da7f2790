// Markdown read with limits: what is long, deep or unreadable is plain text, and no character is lost.
import { expect, test } from 'vitest';
import {
  GrowingText,
  type MarkdownBlock,
  maxBlockChars,
  maxNesting,
  readBlocks,
} from '../../../src/core/markdown/markdown-blocks.ts';

const shape = (blocks: readonly MarkdownBlock[]) => blocks.map(({ type, raw }) => [type, raw.length]);
const joined = (blocks: readonly MarkdownBlock[]) => blocks.map(({ raw }) => raw).join('');

test('of a block that is too long, the first part is Markdown and the rest is plain text to the next blank line [page.chat] [access.names]', () => {
  const text = `${'*a* '.repeat(maxBlockChars / 4)}*b* *c*\n\nafter *it*`;
  const blocks = readBlocks(text);
  expect(shape(blocks)).toEqual([
    ['paragraph', maxBlockChars],
    ['rest', 9],
    ['paragraph', 10],
  ]);
  expect(joined(blocks)).toBe(text);
});

test('no surrogate pair is divided', () => {
  const [first, rest] = readBlocks(`a${'😀'.repeat(maxBlockChars)}`);
  expect([first?.raw.isWellFormed(), rest?.raw.isWellFormed()]).toEqual([true, true]);
});

test('a long code block is code to its end', () => {
  const code = 'let a;\n'.repeat(maxBlockChars);
  const [block, after] = readBlocks(`\`\`\`ts\n${code}\`\`\`\nafter`);
  expect(block).toMatchObject({ type: 'code', lang: 'ts', text: code.trimEnd() });
  expect(after).toMatchObject({ type: 'paragraph', text: 'after' });
});

test('a long list goes on as a list, with its numbers', () => {
  const items = Array.from({ length: 2_000 }, (_, at) => `${at + 1}. item *${at + 1}*\n`);
  const lists = readBlocks(items.join('')).filter(({ type }) => type !== 'space');
  expect(new Set(lists.map(({ type }) => type))).toEqual(new Set(['list']));
  expect(lists.flatMap((list) => (list.type === 'list' ? list.items : []))).toHaveLength(2_000);
  const starts = lists.map((list) => (list.type === 'list' ? list.start : null));
  expect(starts.length).toBeGreaterThan(2);
  expect(starts[0]).toBe(1);
  expect(starts[1]).toBe(1 + (lists[0]?.type === 'list' ? lists[0].items.length : 0));
});

test('a block that marked cannot read is plain, and those beside it are not', () => {
  const blocks = readBlocks(`*a*\n\n${'> '.repeat(4_000)}\n\n*b*`);
  expect(blocks.filter(({ type }) => type !== 'space').map(({ type }) => type)).toEqual([
    'paragraph',
    'plain',
    'paragraph',
  ]);
});

test('a block that nests deeper than the limit is plain', () => {
  const quotes = (depth: number) => readBlocks(`${'>'.repeat(depth)} a`).map(({ type }) => type);
  expect(quotes(maxNesting - 2)).toEqual(['blockquote']);
  expect(quotes(maxNesting + 1)).toEqual(['plain']);
});

test('a text within the limits is read as marked reads it', () => {
  const text = '# a\n\nb [c][1]\n\n- d\n  - e\n\n[1]: https://a.example';
  expect(readBlocks(text).map(({ type }) => type)).toEqual([
    'heading',
    'space',
    'paragraph',
    'space',
    'list',
    'space',
    'def',
  ]);
});

test('a text that grows is read as one that came whole, and only its end again [page.chat]', () => {
  const text = `${'a *b*\n\n- c\n- d\n\n> e\n\n'.repeat(1_000)}${'```\ncode\r\n\n'.repeat(2_000)}`;
  const reader = new GrowingText();
  for (let at = 0; at <= text.length; at += 997) {
    const before = reader.read(text.slice(0, at)).parts;
    const after = reader.read(text.slice(0, at + 500)).parts;
    expect(
      before.slice(0, -1).every((part, i) => after[i] === part),
      `the parts before the end of ${at}`,
    ).toBe(true);
    expect(after.flat()).toEqual(readBlocks(text.slice(0, at + 500)));
  }
  expect(reader.read('another').parts.flat()).toEqual(readBlocks('another'));
});

test('a long text is read part by part [page.chat]', () => {
  const text = 'a *b*\n\n'.repeat(5_000);
  const reader = new GrowingText();
  const first = reader.read(text, 1);
  expect([first.parts.length, first.isAll]).toEqual([1, false]);
  expect(first.parts.flat().reduce((sum, { raw }) => sum + raw.length, 0)).toBeLessThanOrEqual(maxBlockChars);
  let most = 1;
  while (!reader.read(text, most).isAll) most += 1;
  expect(most).toBeGreaterThan(4);
  expect(reader.read(text, most).parts.flat()).toEqual(readBlocks(text));
});
