// scripts/ready.mjs, with an npm that only records how it is called: what a start installs, and what a developer's command does.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../house/tree.ts';

/** Makes the packages that an install brings, and records its arguments. */
const fakeNpm = `
  import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
  appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
  mkdirSync('node_modules/typescript', { recursive: true });
  if (!process.argv.includes('--omit=dev')) writeFileSync('node_modules/typescript/package.json', '{}');
`;

function createCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'belay-ready-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'scripts'));
  copyFileSync(join(root, 'scripts/ready.mjs'), join(folder, 'scripts/ready.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(folder, 'npm.mjs'), fakeNpm);
  writeFileSync(join(folder, 'calls'), '');
  const env = { ...process.env, npm_execpath: join(folder, 'npm.mjs'), npm_node_execpath: process.execPath };
  const installs = (...args: readonly string[]) => {
    writeFileSync(join(folder, 'calls'), '');
    const { status } = spawnSync(process.execPath, ['scripts/ready.mjs', ...args], { cwd: folder, env });
    expect(status).toBe(0);
    return readFileSync(join(folder, 'calls'), 'utf8').split('\n').slice(0, -1);
  };
  return { folder, installs };
}

const running = 'ci --omit=dev --loglevel=error';
const all = 'ci --loglevel=error';

test('a start installs what running needs, once; a developer’s command the rest, once', () => {
  const { installs } = createCheckout();
  expect(installs()).toEqual([running]);
  expect(installs()).toEqual([]);
  expect(installs('--all')).toEqual([all]);
  expect([...installs('--all'), ...installs()]).toEqual([]);
});

test('a start with another lock file installs anew, and keeps a developer’s tree one', () => {
  const { folder, installs } = createCheckout();
  expect(installs('--all')).toEqual([all]);
  writeFileSync(join(folder, 'package-lock.json'), '{ }');
  expect(installs()).toEqual([all]);
  expect(installs()).toEqual([]);
});
