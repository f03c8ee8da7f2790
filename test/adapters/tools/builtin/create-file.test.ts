// Creates new files, which other programs see only complete.
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFile } from '../../../../src/adapters/tools/builtin/create-file.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';
import { newFolders } from './folder.ts';

describe('a new file', () => {
  test('is made with the folders above it, and nothing else is left there', async () => {
    const { root } = await newFolders();
    await createFile('x/y/new.png', 'new', recordingContext({ roots: [root] }).context);
    expect(await readFile(join(root, 'x/y/new.png'), 'utf8')).toBe('new');
    expect(await readdir(join(root, 'x/y'))).toEqual(['new.png']);
  });

  test('never replaces a file, a folder or a link', async () => {
    const { root } = await newFolders();
    await symlink('a.txt', join(root, 'link'));
    for (const path of ['a.txt', 'sub', 'link', '.']) {
      const { context } = recordingContext({ roots: [root] });
      await expect(createFile(path, 'new', context)).rejects.toMatchObject({
        code: 'tool_failed',
        message: `${path} exists already: give the path of a new file.`,
      });
    }
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('alpha');
    expect(await readdir(root)).toEqual(['a.txt', 'link', 'sub']);
  });

  test('fails where another has been created while it was written', async () => {
    const { root } = await newFolders();
    const { context } = recordingContext({ roots: [root] });
    const others = { ...context, signal: Object.create(context.signal) as AbortSignal };
    await mkdir(join(root, 'shots'));
    // it checks its signal for the last time right before the commit
    others.signal.throwIfAborted = () => writeFileSync(join(root, 'shots/new.png'), 'of another');
    await expect(createFile('shots/new.png', 'new', others)).rejects.toMatchObject({ code: 'tool_failed' });
    expect(await readFile(join(root, 'shots/new.png'), 'utf8')).toBe('of another');
    expect(await readdir(join(root, 'shots'))).toEqual(['new.png']);
  });

  test('is never outside the roots, and is not created after a stop [cancel.fence]', async () => {
    const { root, outside } = await newFolders();
    await symlink(outside, join(root, 'out'));
    for (const path of ['out/new.png', '../new.png']) {
      const refused = createFile(path, 'new', recordingContext({ roots: [root] }).context);
      await expect(refused).rejects.toMatchObject({ code: 'path_outside_roots' });
    }
    const recorded = recordingContext({ roots: [root] });
    recorded.stopCall();
    await expect(createFile('new.png', 'new', recorded.context)).rejects.toThrow();
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readdir(root)).toEqual(['a.txt', 'out', 'sub']);
  });
});
