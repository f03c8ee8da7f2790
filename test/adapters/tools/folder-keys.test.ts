// The keys of folders: two of them conflict when one folder contains the other, however they are named.
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FolderKeyOptions } from '../../../src/core/contracts/tool.ts';
import { settlePromises } from '../../../src/core/sources/virtual.ts';
import { comparedKey, folderKeysFrom, type KeyPlace } from '../../../src/core/tools/folder-key-rules.ts';
import { ExclusiveKeys } from '../../../src/core/tools/keys.ts';
import { requestsOf } from '../../core/tools/key-requests.ts';

const go = { kind: 'go' } as const;

const placeIn = (session: string, keys?: FolderKeyOptions, roots: readonly string[] = []): KeyPlace => ({
  session,
  roots,
  folderKeys: folderKeysFrom(keys),
});

test('a key of the host is one for all sessions; a session has its own [tool.parallel]', () => {
  const named = (scope: 'host' | 'session') =>
    ['s1', 's2'].map((session) => comparedKey({ scope, name: 'k' }, placeIn(session)));
  const folders = (reach: 'host' | 'session') =>
    ['s1', 's2'].map((session) => comparedKey({ folder: '/' }, placeIn(session, { reach })));
  for (const keysOf of [named, folders]) {
    expect(new Set(keysOf('host').map(({ space }) => space)).size).toBe(1);
    expect(new Set([...keysOf('session'), ...keysOf('host')].map(({ space }) => space)).size).toBe(3);
  }
});

test('the key of a folder follows links, as far as the path exists [tool.parallel]', async () => {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'belay-keys-')));
  onTestFinished(() => rm(path, { recursive: true }));
  await mkdir(join(path, 'real/sub'), { recursive: true });
  await symlink(join(path, 'real'), join(path, 'link'));
  const folderOf = (folder: string) => comparedKey({ folder: join(path, folder) }, placeIn('s')).value;
  expect(folderOf('link/sub')).toBe(join(path, 'real/sub'));
  expect(folderOf('link/new/sub')).toBe(join(path, 'real/new/sub'));
});

test('a folder has its own key, or with the scope `root` that of the outermost root around it [tool.keys]', async () => {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'belay-keys-')));
  onTestFinished(() => rm(path, { recursive: true }));
  await mkdir(join(path, 'root/inner/sub'), { recursive: true });
  await symlink(join(path, 'root'), join(path, 'link'));
  const roots = [join(path, 'root/inner'), join(path, 'link')];
  const keyOf = (folder: string, keys?: FolderKeyOptions) =>
    comparedKey({ folder: join(path, folder) }, placeIn('s', keys, roots)).value;
  for (const named of ['root/inner/sub', 'link/inner/sub', 'root/inner/../inner/sub/.']) {
    expect(keyOf(named)).toBe(join(path, 'root/inner/sub'));
    expect(keyOf(named, 'host')).toBe(join(path, 'root/inner/sub'));
    expect(keyOf(named, { scope: 'root' })).toBe(join(path, 'root'));
  }
  expect(keyOf('elsewhere', { scope: 'root' })).toBe(join(path, 'elsewhere'));
});

test('wrong rules of keys are refused by the name of their field [tool.keys]', () => {
  expect(folderKeysFrom()).toEqual({ scope: 'path', reach: 'session' });
  expect(folderKeysFrom('host')).toEqual({ scope: 'path', reach: 'host' });
  expect(folderKeysFrom({ scope: 'root' })).toEqual({ scope: 'root', reach: 'session' });
  const wrong: readonly (readonly [unknown, string])[] = [
    ['all', 'keys.reach must be session or host, not "all"'],
    [{ scope: 'folder' }, 'keys.scope must be path or root, not "folder"'],
    [{ reach: 7 }, 'The option reach of keys must be a string'],
    [{ scopes: 'root' }, 'keys has no option scopes. Did you mean scope?'],
    [[], 'keys takes an object'],
  ];
  for (const [keys, says] of wrong) expect(() => folderKeysFrom(keys as FolderKeyOptions)).toThrow(says);
});

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a/b/c', '/a', true],
  ['/', '/a', true],
  ['/a', '/ab', false],
  ['/a/b', '/a/c', false],
  ['/a', 'a', false],
])('%s and %s conflict: %s [tool.parallel]', async (first, second, isConflict) => {
  const keys = new ExclusiveKeys();
  const { waits, request } = requestsOf(keys);
  request('1', first);
  request('2', second);
  await settlePromises();
  expect(waits).toEqual(isConflict ? [['2', '1']] : []);
});

test('a folder waits for all that are in it, and those that come later in it wait for that folder [tool.parallel] [tool.waits]', async () => {
  const keys = new ExclusiveKeys();
  const { results, waits, request } = requestsOf(keys);
  request('left', '/a/left');
  request('right', '/a/right');
  request('whole', '/a');
  request('late', '/a/other');
  request('beside', '/b');
  await settlePromises();
  expect(results.map(([id]) => id)).toEqual(['left', 'right', 'beside']);
  keys.release('left');
  keys.release('right');
  await settlePromises();
  expect(results.map(([id]) => id)).toEqual(['left', 'right', 'beside', 'whole']);
  expect(waits).toEqual([
    ['whole', 'left'],
    ['late', 'whole'],
    ['whole', 'right'],
  ]);
  keys.release('whole');
  await settlePromises();
  expect(results.at(-1)).toEqual(['late', go]);
});

test('a folder that stops waiting lets go on what waited only for it; an abandoned one is in the way of what it contains [tool.parallel] [cancel.bounded]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  const stop = new AbortController();
  request('left', '/a/left');
  request('whole', '/a', stop.signal);
  request('late', '/a/other');
  stop.abort();
  await settlePromises();
  expect(results).toEqual([
    ['left', go],
    ['whole', { kind: 'stopped' }],
    ['late', go],
  ]);
  request('whole again', '/a');
  keys.markAbandoned('left');
  request('beside', '/a/third');
  await settlePromises();
  expect(results.slice(3)).toEqual([
    ['whole again', { kind: 'key_held', by: 'left' }],
    ['beside', go],
  ]);
});
