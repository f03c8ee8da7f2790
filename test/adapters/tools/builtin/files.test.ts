// Tools `read_file`, `list_files` and `write_file`, and their limits.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import type { Tool, ToolContext, ToolEnd } from '../../../../src/core/contracts/tool.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { call, named, newFolders } from './folder.ts';

const tools = builtinTools({ allowWrites: true, limits: { readBytes: 20, writeBytes: 30, entries: 3 } });
const readFileTool = named(tools, 'read_file');
const listFiles = named(tools, 'list_files');
const writeFileTool = named(tools, 'write_file');

testToolContract('read_file', async () => ({
  tool: readFileTool,
  good: { path: 'a.txt' },
  bad: [
    { input: {}, names: 'path' },
    { input: { path: 'a.txt', limit: 21 }, names: 'at most 20' },
    { input: { path: 'a\0b' }, names: 'NUL' },
    { input: { path: 'a', offset: -1 }, names: 'offset' },
  ],
  roots: [(await newFolders()).root],
}));

testToolContract('list_files', async () => ({
  tool: listFiles,
  good: {},
  bad: [{ input: { path: '' }, names: 'path' }],
  roots: [(await newFolders()).root],
}));

testToolContract('write_file', async () => ({
  tool: writeFileTool,
  good: { path: 'new.txt', content: 'new' },
  bad: [
    { input: { path: 'a' }, names: 'content' },
    { input: { content: 'a' }, names: 'path' },
  ],
  roots: [(await newFolders()).root],
}));

describe('read_file', () => {
  test('an image is shown as a whole, up to its limit [model.parts]', async () => {
    const { root } = await newFolders();
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n', 'latin1'), Buffer.alloc(40)]);
    await writeFile(join(root, 'chart.data'), png);
    const shown = await call(readFileTool, { path: 'chart.data', offset: 3, limit: 4 }, { roots: [root] });
    expect(shown).toEqual({
      kind: 'completed',
      output: '',
      parts: [{ type: 'image', data: png, mediaType: 'image/png', name: 'chart.data' }],
    });
    const small = named(builtinTools({ limits: { imageBytes: 45 } }), 'read_file');
    expect(await call(small, { path: 'chart.data' }, { roots: [root] })).toMatchObject({ code: 'too_large' });
  });

  test.each([
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\n\0\0\0WEBP'],
  ])('%s is an image by its first bytes [model.parts]', async (mediaType, start) => {
    const { root } = await newFolders();
    await writeFile(join(root, 'a'), Buffer.from(start, 'latin1'));
    const { parts } = await call(readFileTool, { path: 'a' }, { roots: [root] });
    expect(parts).toMatchObject([{ type: 'image', mediaType }]);
  });

  test('a long file is read piece by piece, without a character cut in half', async () => {
    const { root } = await newFolders();
    const text = 'äöü€😀'.repeat(9);
    await writeFile(join(root, 'long.txt'), text);
    let read = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { output } = await call(readFileTool, { path: 'long.txt', offset, limit: 10 }, { roots: [root] });
      const [piece = '', next] = output.split(/\n\[bytes \d+ to \d+ of \d+; continue with offset (\d+)\]$/);
      read += piece;
      offset = next === undefined ? undefined : Number(next);
    }
    expect(read).toBe(text);
  });

  test.each([
    ['nothing.txt', 'no such file'],
    ['sub', 'use list_files'],
    ['pipe', 'not a regular file'],
    ['binary', 'a binary file'],
    ['a.txt/b', 'no folder'],
  ])('%s is refused at once, with a sentence', async (path, words) => {
    const { root } = await newFolders();
    execFileSync('mkfifo', [join(root, 'pipe')]); // opening it would wait for a writer
    await writeFile(join(root, 'binary'), Buffer.from([1, 0, 2]));
    const end = await call(readFileTool, { path }, { roots: [root] });
    expect(end).toMatchObject({ kind: 'failed', code: 'tool_failed', message: expect.stringContaining(words) });
  });
});

describe('list_files', () => {
  test('folders, links and other entries are marked', async () => {
    const { root } = await newFolders();
    await symlink('a.txt', join(root, 'sub', 'link'));
    await writeFile(join(root, 'sub', 'two\nlines'), '');
    expect(await call(listFiles, { path: 'sub' }, { roots: [root] })).toEqual({
      kind: 'completed',
      output: '"two\\nlines"\nb.txt\nlink@',
    });
    expect(await call(listFiles, {}, { roots: [root] })).toMatchObject({ output: 'a.txt\nsub/' });
  });

  test('a folder of many entries is listed up to the limit, with a note', async () => {
    const { root } = await newFolders();
    for (const name of ['c', 'd', 'e']) await writeFile(join(root, name), '');
    const { output } = await call(listFiles, { path: '.' }, { roots: [root] });
    expect(output.split('\n')).toHaveLength(4);
    expect(output).toMatch(/\[3 entries are listed/);
  });

  test('an empty folder, a file and a missing path have different results', async () => {
    const { root } = await newFolders();
    await mkdir(join(root, 'empty'));
    const list = (path: string) => call(listFiles, { path }, { roots: [root] });
    expect(await list('empty')).toMatchObject({ kind: 'completed', output: '[the folder is empty]' });
    expect(await list('a.txt')).toMatchObject({ kind: 'failed', message: expect.stringContaining('no folder') });
    expect(await list('gone')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('There is no folder gone.'),
    });
  });
});

describe('write_file', () => {
  const write = (root: string, path: string, content = 'new') =>
    call(writeFileTool, { path, content }, { roots: [root] });

  test('it writes a new file, with the folders above it, and leaves nothing else there', async () => {
    const { root } = await newFolders();
    expect(await write(root, 'x/y/new.txt')).toMatchObject({ kind: 'completed' });
    expect(await readFile(join(root, 'x/y/new.txt'), 'utf8')).toBe('new');
    expect(await readdir(join(root, 'x/y'))).toEqual(['new.txt']);
  });

  test('a file is replaced as a whole and keeps its permissions', async () => {
    const { root } = await newFolders();
    await chmod(join(root, 'a.txt'), 0o750);
    expect(await write(root, 'a.txt')).toMatchObject({ kind: 'completed' });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('new');
    expect((await stat(join(root, 'a.txt'))).mode & 0o777).toBe(0o750);
  });

  test('through a link inside the folder its target is written, and the link stays', async () => {
    const { root } = await newFolders();
    await symlink('sub/b.txt', join(root, 'link'));
    expect(await write(root, 'link')).toMatchObject({ kind: 'completed' });
    expect(await readFile(join(root, 'sub/b.txt'), 'utf8')).toBe('new');
    expect((await readdir(root, { withFileTypes: true })).find(({ name }) => name === 'link')?.isSymbolicLink()).toBe(
      true,
    );
  });

  test('stopped before its commit it changes nothing; stopped inside, it is whole [cancel.shield] [cancel.boundaries]', async () => {
    const { root } = await newFolders();
    const args = { path: 'a.txt', content: 'new' };
    const beforeCommit = recordingContext({ roots: [root] }, writeFileTool);
    const shieldLess: ToolContext = {
      ...beforeCommit.context,
      shield: (work) => {
        beforeCommit.stopCall(); // the cut comes in the tick in which the region would start
        return beforeCommit.context.shield(work);
      },
    };
    expect(await writeFileTool.run(args, shieldLess)).toMatchObject({ kind: 'stopped' });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('alpha');
    expect(await readdir(root)).toEqual(['a.txt', 'sub']);

    const committing = recordingContext({ roots: [root] }, writeFileTool);
    const end = writeFileTool.run(args, committing.context);
    await committing.firstRegion;
    committing.stopCall();
    expect(committing.stop.signal.aborted).toBe(false);
    expect(await end).toMatchObject({ kind: 'completed' });
    expect(committing.stop.signal.aborted).toBe(true);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('new');
  });

  test('whenever it is stopped, the file is the old one or the new one [cancel.shield] [history.effect]', async () => {
    const { root } = await newFolders();
    const big = named(builtinTools({ allowWrites: true }), 'write_file');
    const path = join(root, 'big.txt');
    let old = 'a'.repeat(500_000);
    await writeFile(path, old);
    const ends = new Set<string>();
    for (let round = 0; round < 60; round++) {
      const content = String.fromCharCode(97 + (round % 26)).repeat(400_000 + round);
      const recorded = recordingContext({ roots: [root] }, big);
      const end = big.run({ path: 'big.txt', content }, recorded.context);
      for (let turns = 0; turns < round / 4; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        expect([old, content]).toContain(await readFile(path, 'utf8'));
      }
      recorded.stopCall();
      const { kind } = (await end) as ToolEnd;
      ends.add(kind);
      const now = await readFile(path, 'utf8');
      expect(now === (kind === 'completed' ? content : old)).toBe(true);
      old = now;
      expect(await readdir(root)).toEqual(['a.txt', 'big.txt', 'sub']);
    }
    expect([...ends].sort()).toEqual(['completed', 'stopped']);
  });

  test('a content that is too long is refused, by its size in bytes', async () => {
    const { root } = await newFolders();
    const end = await write(root, 'a.txt', '€'.repeat(11));
    expect(end).toMatchObject({
      kind: 'failed',
      code: 'too_large',
      effect: 'none',
      message: expect.stringContaining('33'),
    });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('alpha');
  });

  test('a folder or a pipe in its place is refused', async () => {
    const { root } = await newFolders();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    for (const path of ['sub', '.', 'pipe']) expect(await write(root, path)).toMatchObject({ kind: 'failed' });
    expect(await write(root, 'a.txt/x')).toMatchObject({ kind: 'failed' });
    expect((await readdir(root)).sort()).toEqual(['a.txt', 'pipe', 'sub']);
  });

  test('a call that is stopped leaves the file old or new, and no draft [tool.signal]', async () => {
    const { root } = await newFolders();
    for (let turns = 0; turns < 12; turns++) {
      const stop = new AbortController();
      const end = call(writeFileTool, { path: 'a.txt', content: 'new' }, { roots: [root], signal: stop.signal });
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      const { kind } = await end;
      expect(await readdir(root)).toEqual(['a.txt', 'sub']);
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe(kind === 'stopped' ? 'alpha' : 'new');
      await writeFile(join(root, 'a.txt'), 'alpha');
    }
  });

  test('a failed write leaves nothing behind', async () => {
    const { root } = await newFolders();
    const end = await write(root, 'n'.repeat(300));
    expect(end).toMatchObject({ kind: 'failed', message: expect.stringContaining('name is too long') });
    expect(await readdir(root)).toEqual(['a.txt', 'sub']);
  });
});

test('tools that change files or run programs exist only where they are allowed', () => {
  const names = (list: readonly Tool[]) => list.map(({ name }) => name).sort();
  const safe = ['ask_user', 'cancel_call', 'fetch_url', 'list_files', 'read_file', 'session_status'];
  expect(names(builtinTools())).toEqual(safe);
  expect(names(builtinTools({ allowWrites: true }))).toEqual([...safe, 'write_file']);
  expect(names(builtinTools({ allowShell: true }))).toEqual([...safe, 'shell']);
  expect(names(builtinTools({ allowCode: true }))).toEqual([...safe, 'run_code'].sort());
});
