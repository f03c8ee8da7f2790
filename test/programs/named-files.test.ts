// Files that typed words name with `@`: pictures as blobs, texts as they are, within limits; everything else is refused by name.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { completePath, fileWords, maxTextBytes, readNamedFiles } from '../../src/programs/named-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-files-'));
const stored: number[] = [];
const read = (line: string) =>
  readNamedFiles(line, { folder, store: async (bytes) => `blob-of-${stored.push(bytes.length)}` });

beforeAll(() => {
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'shot.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  writeFileSync(join(folder, 'a b.txt'), 'two words\n');
  writeFileSync(join(folder, 'notes/one.md'), '# One\n');
  writeFileSync(join(folder, 'core.bin'), Buffer.from([1, 0, 2]));
  writeFileSync(join(folder, 'long.txt'), 'x'.repeat(maxTextBytes + 1));
  return () => rmSync(folder, { recursive: true });
});

test('a picture is stored and attached, a text is put in, each once; a dot that ends the sentence is no part of a path', async () => {
  const found = await read('see @shot.png, @"a b.txt" and @notes/one.md. Again @shot.png');
  expect(found).toEqual([
    {
      part: { type: 'image', blob: 'blob-of-1', mediaType: 'image/png', bytes: 16, name: 'shot.png' },
      about: 'shot.png (image/png, 16 bytes)',
    },
    { part: { type: 'text', text: 'File a b.txt:\ntwo words\n' }, about: 'a b.txt (text, 10 bytes)' },
    { part: { type: 'text', text: 'File one.md:\n# One\n' }, about: 'one.md (text, 6 bytes)' },
  ]);
});

test('other words after an @ are left alone: people, addresses, what is escaped, resources of MCP servers', async () => {
  expect(await read('hi @ann, write to me@example.org or @@shot.png @files:a.md')).toEqual([]);
  expect(fileWords('@@a.png @files:b.png //c')).toEqual([]);
  expect(fileWords('//say @shot.png')).toEqual([]);
});

test.for([
  ['@nothing.png', /^There is no file nothing\.png in .*\. Write @@nothing\.png to say it as it is\.$/],
  [
    '@core.bin',
    /^core\.bin is binary, and no picture \(png, jpeg, webp, gif\): only pictures and texts can be said\.$/,
  ],
  ['@long.txt', /^long\.txt has 24,577 bytes; the text files of one message may have 24,576 bytes together\./],
  ['@./notes', /^\.\/notes is a folder\. Name a file in it\.$/],
] as const)('%s is refused by name', async ([line, message]) => {
  await expect(read(`see ${line}`)).rejects.toThrow(message);
});

test('Tab completes paths after the @, folders with a slash, spaces in quotes', async () => {
  const complete = async (text: string) => {
    const found = await completePath(text, text.length, folder);
    return found && [found.from, ...found.candidates.map(({ text }) => text)];
  };
  expect(await complete('see @s')).toEqual([4, '@shot.png']);
  expect(await complete('@n')).toEqual([0, '@notes/']);
  expect(await complete('@notes/')).toEqual([0, '@notes/one.md']);
  expect(await complete('@a')).toEqual([0, '@"a b.txt"']);
  expect(await complete('@"a b')).toEqual([0, '@"a b.txt"']);
  expect(await complete('plain')).toBeNull();
  expect(await complete('@@s')).toBeNull();
});
