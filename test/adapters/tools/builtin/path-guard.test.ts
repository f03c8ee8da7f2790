// Paths that lead out of the allowed folders: by `..`, absolute, by links, by links that replace a folder.
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { openFile, openFolder } from '../../../../src/adapters/tools/builtin/open-in-roots.ts';
import { fileFolderKey, folderKey, resolveInRoots } from '../../../../src/adapters/tools/builtin/path-guard.ts';
import type { ToolEnd } from '../../../../src/core/contracts/tool.ts';
import { until } from '../../../support/until.ts';
import { programs } from '../../processes/processes.ts';
import { call, named, newFolders } from './folder.ts';

const tools = builtinTools({ allowWrites: true, allowShell: true, allowCode: true });
const ways = ['read_file', 'list_files', 'write_file', 'shell'] as const;

/** Tries one path with every tool that takes one. */
async function tryAll(path: string, roots: readonly string[]): Promise<Record<(typeof ways)[number], ToolEnd>> {
  const args = {
    read_file: { path },
    list_files: { path },
    write_file: { path, content: 'x' },
    shell: { command: 'pwd', cwd: path },
  };
  const ends = await Promise.all(
    ways.map(async (way) => [way, await call(named(tools, way), args[way], { roots })] as const),
  );
  return Object.fromEntries(ends) as Record<(typeof ways)[number], ToolEnd>;
}

const out = { kind: 'failed', code: 'path_outside_roots', effect: 'none' };
const allOut = { read_file: out, list_files: out, write_file: out, shell: out };

test.each([
  '..',
  '../outside',
  '../outside/secret.txt',
  'sub/../../outside/secret.txt',
  '/etc/passwd',
  '/',
  '../root-twin/x',
  '../outside/new/file',
])('%s leads out of the root, and is refused', async (path) => {
  const { root, outside } = await newFolders();
  await mkdir(`${root}-twin`); // starts with the same letters
  expect(await tryAll(path, [root])).toMatchObject(allOut);
  expect(await readdir(outside)).toEqual(['secret.txt']);
});

test.each([
  ['link', '../outside'],
  ['link/secret.txt', '../outside'],
  ['link/new.txt', '../outside'],
  ['link', '../outside/secret.txt'],
  ['link', '../outside/not-yet'],
  ['link/x', '../outside/not-yet'],
  ['sub/../link/new/deep.txt', '../outside'],
  ['link', 'link'],
])('%s by a link to %s leads out of the root or to nothing, and is refused', async (path, target) => {
  const { root, outside } = await newFolders();
  await symlink(target, join(root, 'link'));
  const ends = await tryAll(path, [root]);
  for (const end of Object.values(ends)) expect(end.kind).toBe('failed');
  if (target !== 'link') expect(ends).toMatchObject(allOut);
  expect(await readdir(outside)).toEqual(['secret.txt']);
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
});

test('links that stay inside are followed; a root may be a link itself', async () => {
  const { root } = await newFolders();
  await symlink('sub', join(root, 'inner'));
  await symlink(root, `${root}-link`);
  const read = named(tools, 'read_file');
  for (const path of ['inner/b.txt', join(root, 'sub/b.txt'), `${root}-link/sub/b.txt`, 'sub/../inner/b.txt']) {
    expect(await call(read, { path }, { roots: [`${root}-link`] })).toEqual({ kind: 'completed', output: 'beta' });
  }
  const shell = await call(named(tools, 'shell'), { command: 'pwd', cwd: 'inner' }, { roots: [`${root}-link`] });
  expect(shell.output).toBe(`${join(root, 'sub')}\n[exit code 0]`);
});

test('without an allowed folder, or with one that does not exist, every path is refused', async () => {
  const { root } = await newFolders();
  expect(await tryAll('a.txt', [])).toMatchObject(allOut);
  expect(await tryAll('a.txt', [join(root, 'gone')])).toMatchObject(allOut);
});

test('a second folder is reached by its absolute path', async () => {
  const { root, outside } = await newFolders();
  const end = await call(named(tools, 'read_file'), { path: join(outside, 'secret.txt') }, { roots: [root, outside] });
  expect(end).toMatchObject({ kind: 'completed', output: 'secret' });
});

test.runIf(process.platform === 'linux')(
  'a folder that is replaced by a link meanwhile never leads out of the root',
  async () => {
    const { root, outside } = await newFolders();
    const [place, parked] = [join(root, 'swap'), join(root, 'parked')];
    await mkdir(place);
    const swapper = spawn(process.execPath, [join(programs, 'swap-link.ts'), place, parked, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void swapper.kill('SIGKILL'));
    let printed = '';
    swapper.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await until(() => printed.includes('swapping'), { what: 'the first swaps' });
    const ends: ToolEnd[] = [];
    for (let i = 0; i < 300; i++) {
      ends.push(await call(named(tools, 'read_file'), { path: 'swap/secret.txt' }, { roots: [root] }));
      ends.push(await call(named(tools, 'write_file'), { path: 'swap/new.txt', content: 'x' }, { roots: [root] }));
      ends.push(await call(named(tools, 'list_files'), { path: 'swap' }, { roots: [root] }));
    }
    swapper.kill('SIGTERM');
    await until(() => swapper.exitCode !== null, { what: 'the last swap' });
    expect(swapper.exitCode).toBe(0);
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    const leaks = [
      { kind: 'completed', output: 'secret' },
      { kind: 'completed', output: 'secret.txt' },
    ];
    for (const leak of leaks) expect(ends).not.toContainEqual(leak);
    expect(ends.some(({ code }) => code === 'path_outside_roots')).toBe(true);
    expect(ends.some(({ kind }) => kind === 'completed')).toBe(true);
  },
);

test.runIf(process.platform === 'linux')(
  'a path that is replaced after it was resolved is refused when it is opened',
  async () => {
    const { root, outside } = await newFolders();
    const [file, folder, missing] = ['sub/b.txt', 'sub', 'sub/new/deeper'].map((path) => resolveInRoots([root], path));
    if (!file || !folder || !missing) throw new Error('no places');
    await rename(join(root, 'sub'), join(root, 'away'));
    await symlink(outside, join(root, 'sub'));
    await writeFile(join(outside, 'b.txt'), 'secret');
    await expect(openFile(file, { roots: [root] })).rejects.toMatchObject({ code: 'path_outside_roots' });
    await expect(openFolder(folder, { roots: [root] })).rejects.toThrow();
    await expect(openFolder(missing, { roots: [root] })).rejects.toThrow();
    expect((await readdir(outside)).sort()).toEqual(['b.txt', 'secret.txt']);
  },
);

test.runIf(process.platform === 'linux')('an open folder stays the same whatever its path becomes', async () => {
  const { root, outside } = await newFolders();
  await using folder = await openFolder(resolveInRoots([root], 'sub'), { roots: [root] });
  await rename(join(root, 'sub'), join(root, 'away'));
  await symlink(outside, join(root, 'sub'));
  await writeFile(join(folder.base, 'new.txt'), 'new');
  expect(await readdir(outside)).toEqual(['secret.txt']);
  expect((await readdir(join(root, 'away'))).sort()).toEqual(['b.txt', 'new.txt']);
});

test('a call has the key of its folder, and one that writes that of the folder of its file, however they are named [tool.keys]', async () => {
  const { root, outside } = await newFolders();
  await symlink(root, `${root}-link`);
  await symlink(join(outside, 'secret.txt'), join(root, 'sub/link.txt'));
  const roots = [`${root}-link`, outside];
  const keyOf = (name: string, args: object) => {
    const { access, parse } = named(tools, name);
    const parsed = parse(args);
    if (access === 'parallel' || !parsed.ok) throw new Error('it has no key');
    return access(parsed.input, { session: 's', roots });
  };
  const sub = { folder: join(root, 'sub') };
  expect(keyOf('shell', { command: ':' })).toEqual({ folder: root });
  for (const cwd of ['sub', './sub/', 'sub/../sub', join(root, 'sub'), `${root}-link/sub`]) {
    expect(keyOf('shell', { command: ':', cwd })).toEqual(sub);
    expect(keyOf('run_code', { language: 'node', code: ';', cwd })).toEqual(sub);
    expect(keyOf('write_file', { path: `${cwd}/new.txt`, content: '' })).toEqual(sub);
  }
  expect(keyOf('run_code', { language: 'node', code: ';', cwd: outside })).toEqual({ folder: outside });
  expect(keyOf('write_file', { path: 'sub/b.txt', content: '' })).toEqual(sub);
  expect(keyOf('write_file', { path: 'sub/link.txt', content: '' })).toEqual({ folder: outside });
  // nobody can know how a file system compares names that it does not have yet: the key is that of the folder they are made in
  expect(keyOf('write_file', { path: 'sub/New/deep/x.txt', content: '' })).toEqual(sub);
  expect(keyOf('shell', { command: ':', cwd: 'sub/new' })).toEqual(sub);
  expect(keyOf('write_file', { path: 'x.txt', content: '' })).toEqual({ folder: root });
  expect(fileFolderKey(roots, root)).toEqual({ folder: root });
  expect(folderKey(roots, '/etc/passwd')).toEqual({ scope: 'session', name: 'refused /etc/passwd' });
  expect(resolveInRoots(roots, 'x/new.txt')).toEqual({ root, existing: root, missing: ['x', 'new.txt'] });
});
