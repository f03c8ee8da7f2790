// First steps of a user of the package: its README, and the command and the library on an old Node.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileLink, isPacked, packedPage } from '../../scripts/packed-page.ts';
import { read, root } from '../house/tree.ts';

/** Paths of the links to files in a page, as the package has it. */
const linksIn = (page: string, text: string): readonly string[] =>
  [...packedPage(page, text).matchAll(fileLink)].map(([, , link = '']) => join(dirname(page), link));

/** Whether a file is there once the package is built. */
const exists = (path: string): boolean =>
  /^(src|machines)\/.*\.d\.ts$/.test(path)
    ? existsSync(join(root, path.replace(/\.d\.ts$/, '.ts')))
    : isPacked(path) && existsSync(join(root, path));

test('the README of the package links to files that come with it', () => {
  const text = read('README.package.md');
  const links = [...text.matchAll(fileLink)].map(([, , link = '']) => link);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !exists(link))).toEqual([]);
});

test('links of the packed pages lead to files that come with them', () => {
  const pages = globSync('docs/**/*.md', { cwd: root }).concat('SECURITY.md', 'CHANGELOG.md');
  const broken = pages.flatMap((page) =>
    linksIn(page, read(page)).flatMap((path) => (exists(path) ? [] : [`${page}: ${path}`])),
  );
  expect(broken).toEqual([]);
});

test('a link that would break in the package leads to declarations, or becomes its text', () => {
  const text = '[a](../test/a.ts) [b](../src/b.ts) [c](errors.md#c) [d](https://example.org)';
  expect(packedPage('docs/x.md', text)).toBe('a [b](../src/b.d.ts) [c](errors.md#c) [d](https://example.org)');
});

test('belay on Node 20 says in one sentence that it needs Node 24', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-old-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho v20.11.1\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync(join(root, 'bin/belay'), ['--version'], { env, encoding: 'utf8' });
  expect(stderr).toBe('Belay needs Node 24 or later, and this is v20.11.1: install Node 24.\n');
  expect(status).toBe(1);
});

test('a program that imports the library on Node 20 fails by the same sentence', () => {
  const program = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } });
    await import(${JSON.stringify(join(root, 'src/index.ts'))})`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stderr).toContain('Error: Belay needs Node 24 or later, and this is Node 20.11.1.\n');
  expect(status).toBe(1);
});
