// The profile of a browser: a folder for each call, gone with it. What a host that was killed has left is removed by the next one.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTable } from '../../process/process-family.ts';

const prefix = 'belay-browser-';
let sweep: 'due' | 'done' = 'due';

/** A new folder, with the host's pid in its name. Nobody waits for the sweep: a call has to be able to stop. */
export function makeProfile(): Promise<string> {
  if (sweep === 'due') {
    sweep = 'done';
    void removeLeft();
  }
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

export const removeProfile = (path: string) =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

/** False also where the system does not say. */
function isDead(pid: number): boolean {
  try {
    return systemTable.read(pid) === null;
  } catch {
    return false;
  }
}

/** One after the other: all at once they would keep the calls waiting for the file system. Never rejects. */
async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
    if (Number.isInteger(pid) && isDead(pid)) await removeProfile(join(tmpdir(), name)).catch(() => {});
  }
}
