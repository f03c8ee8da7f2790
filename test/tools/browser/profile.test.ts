// The folders of browsers: made for a call, and those of a host that was killed are removed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';

test('what a dead host has left is removed, what a living one has is not [cancel.clean]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-profile-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  vi.stubEnv('TMPDIR', folder);
  const dead = spawn('true');
  await once(dead, 'exit');
  const left = join(folder, `belay-browser-${dead.pid}-abc`);
  const living = join(folder, `belay-browser-${process.ppid}-abc`);
  const strange = join(folder, 'belay-browser-x');
  for (const path of [left, living, strange]) mkdirSync(path);
  writeFileSync(join(left, 'Cookies'), 'crumbs');
  const { makeProfile, removeProfile } = await import('../../../src/tools/browser/profile.ts');
  const own = await makeProfile();
  expect([left, living, strange, own].map(existsSync)).toEqual([false, true, true, true]);
  await removeProfile(own);
  expect(existsSync(own)).toBe(false);
});
