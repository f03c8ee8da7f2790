// The page that is committed is the one that src/page builds, and it stays within its budget.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scaled } from '../support/time-scale.ts';
import { filesBelow, read, root } from './tree.ts';

const built = mkdtempSync(join(tmpdir(), 'belay-page-build-'));
afterAll(() => rmSync(built, { recursive: true }));
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/build-page.ts'), built]);
}, scaled(60_000));

const committed = filesBelow('page').map((path) => path.slice('page/'.length));

test('what src/page builds is what is committed in page/ (npm run build:page builds it)', () => {
  expect(filesBelow('', built)).toEqual(committed);
  expect(committed.filter((path) => read(path, built) !== read(`page/${path}`))).toEqual([]);
});

test('all scripts together are at most 350 KB, compressed', () => {
  const scripts = committed.filter((path) => path.endsWith('.js'));
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(read(`page/${path}`)).byteLength, 0);
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(350 * 1_024);
});

test('it names no other host, and holds no script in its HTML', () => {
  const html = read('page/index.html');
  expect(html).not.toMatch(/https?:\/\//);
  expect(html).not.toMatch(/<script(?![^>]* src=)/);
});
