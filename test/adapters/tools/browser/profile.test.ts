// Profile folders of browsers: made for a call, and removed after a host that was killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../../support/until.ts';

/** The sweep starts after `start`. */
const sweep = vi.hoisted(() => ({ start: Promise.resolve() }));
vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>();
  return { ...actual, readdir: (path: string) => sweep.start.then(() => actual.readdir(path)) };
});

/** Anew: a host sweeps once. */
beforeEach(() => {
  vi.resetModules();
  sweep.start = Promise.resolve();
});

const load = async () => ({
  ...(await import('../../../../src/adapters/tools/browser/profile.ts')),
  ...(await import('../../../../src/adapters/processes/process-family.ts')),
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'belay-profile-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  vi.stubEnv('TMPDIR', folder);
  return (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(join(path, 'Cookies'), 'crumbs');
    return path;
  };
}

async function deadPid() {
  const dead = spawn('true');
  await once(dead, 'exit');
  return dead.pid;
}

test('the folder of a dead host is removed, that of a living one is not [cancel.clean]', async () => {
  const folder = newFolder();
  const dead = await deadPid();
  const left = ['abc', 'def'].map((name) => folder(`belay-browser-${dead}-${name}`));
  const kept = [`belay-browser-${process.ppid}-abc`, 'belay-browser-x'].map(folder);
  const { makeProfile, removeProfile } = await load();
  const own = await makeProfile();
  await until(() => !left.some(existsSync), { what: 'the sweep' });
  expect([...kept, own].map(existsSync)).toEqual([true, true, true]);
  await removeProfile(own);
  expect(existsSync(own)).toBe(false);
});

test('a folder whose host cannot be read is kept, and no later call fails because of it [cancel.clean]', async () => {
  const folder = newFolder();
  const dead = await deadPid();
  const unsaid = folder(`belay-browser-${process.ppid}-abc`);
  const left = folder(`belay-browser-${dead}-abc`);
  const { makeProfile, systemTable } = await load();
  const { read } = systemTable;
  const spy = vi.spyOn(systemTable, 'read').mockImplementation((pid) => {
    if (pid === dead) return read(pid);
    throw Object.assign(new Error('no descriptor is free'), { code: 'EMFILE' });
  });
  onTestFinished(() => spy.mockRestore());
  const first = await makeProfile();
  await until(() => !existsSync(left), { what: 'the sweep' });
  const second = await makeProfile();
  expect([unsaid, first, second].map(existsSync)).toEqual([true, true, true]);
});

test('no call waits for the sweep [cancel.bounded]', async () => {
  const folder = newFolder();
  const left = folder(`belay-browser-${await deadPid()}-abc`);
  const { promise, resolve } = Promise.withResolvers<void>();
  sweep.start = promise;
  const { makeProfile } = await load();
  const making = makeProfile();
  let own: string | undefined;
  void making.then((it) => {
    own = it;
  });
  await until(() => own, { ms: 1_000, what: 'the folder' });
  expect(existsSync(left)).toBe(true);
  resolve();
  await until(() => !existsSync(left), { what: 'the sweep' });
});
