// Profile folders of browsers: one for each call, removed with it. The folders of a host that was killed are removed by the next one.
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandUser } from '../../processes/command-user.ts';
import { systemTable } from '../../processes/process-family.ts';

const prefix = 'belay-browser-';
let sweep: 'due' | 'done' = 'due';

/** Makes a profile of the user, with the host's pid in its name. Nothing waits for the sweep: a call has to be able to stop. */
export async function makeProfile(user?: CommandUser | undefined): Promise<string> {
  if (sweep === 'due') {
    sweep = 'done';
    void removeLeftProfiles();
  }
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  if (user) await chown(path, user.uid, user.gid);
  return path;
}

/** Removes a profile; tries again while a process that is ending still writes there. */
export const removeProfile = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

/** Whether the process is dead; false also if the system does not say. */
function isDead(pid: number): boolean {
  try {
    return systemTable.read(pid) === null;
  } catch {
    return false;
  }
}

/** Removes one after the other: all at once they would delay the calls that use the file system. Never rejects. */
async function removeLeftProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
    if (Number.isInteger(pid) && isDead(pid)) await removeProfile(join(tmpdir(), name)).catch(() => {});
  }
}
