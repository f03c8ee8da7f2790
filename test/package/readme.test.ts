// First steps of a user of the package: its README, and the command and the library on an old Node.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageFiles, packageFolders } from '../../scripts/manifest.ts';
import { read, root } from '../house/tree.ts';

test('the README of the package links to files that come with it', () => {
  const links = [...read('README.package.md').matchAll(/\]\(([^)#:]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(5);
  const isPacked = (link: string) =>
    packageFiles.includes(link) || packageFolders.some((folder) => link.startsWith(folder));
  expect(links.filter((link) => !isPacked(link) || !existsSync(join(root, link)))).toEqual([]);
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
