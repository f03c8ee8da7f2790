// The profile of a browser: a folder for each call, gone with it. What a host that was killed has left is removed by the next one.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTable } from '../process/find.ts';

const prefix = 'belay-browser-';
let swept: Promise<unknown> | null = null;

/** A new folder, with the host's pid in its name. */
export async function makeProfile(): Promise<string> {
  swept ??= removeLeft();
  await swept;
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

export const removeProfile = (path: string) =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

async function removeLeft(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
    return Number.isInteger(pid) && systemTable.read(pid) === null;
  });
  await Promise.allSettled(left.map((name) => removeProfile(join(tmpdir(), name))));
}
