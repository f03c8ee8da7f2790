// Finds the user that commands run as, and proves that this process can start, see and stop the processes of that user.
import { execFileSync, spawn } from 'node:child_process';
import { fieldsOf } from '../../core/collections/fields.ts';
import { readOrNull, systemTable } from './process-family.ts';
import { markerName } from './process-table.ts';

/** A user other than the one of this process. */
export interface CommandUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** A name that no program takes for an option, and no shell for more than a name. */
const namePattern = /^[a-z_][\w.-]{0,63}$/i;

/**
 * Finds a user by name. Starts a process as that user, which ends at once.
 * @throws Error with a sentence: there is no such user, it is root or the user of this process, or this process may not start, see or signal its processes.
 */
export function findCommandUser(name: string): CommandUser {
  const user = namePattern.test(name) ? readUser(name) : null;
  if (!user) throw new Error(`there is no user ${JSON.stringify(name)} on this machine`);
  if (user.uid === 0) throw new Error(`${name} is root, which may read everything: name a user without rights`);
  if (user.uid === process.getuid?.())
    throw new Error(`${name} is the user that runs Belay, so commands could read what Belay reads: name another one`);
  assertControl(user);
  return user;
}

/** Reads a user of this machine; null: there is none of that name. */
function readUser(name: string): CommandUser | null {
  const ask = (file: string, ...args: readonly string[]) =>
    execFileSync(file, args, {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const [uid, gid] = [Number(ask('id', '-u', name)), Number(ask('id', '-g', name))];
    return { name, uid, gid, home: ask('/bin/sh', '-c', `echo ~${name}`) };
  } catch {
    return null;
  }
}

/** Asserts that a command of the user can be stopped: started in this way, found by its marker, and reached by a signal. */
function assertControl({ name, uid, gid }: CommandUser): void {
  const marker = `probe-${process.pid}`;
  const env = { PATH: '/usr/bin:/bin', [markerName]: marker };
  const child = spawn('/bin/sh', ['-c', 'read end'], { uid, gid, env, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => {}); // it has no pid then
  child.unref();
  if (child.pid === undefined) throw new Error(`this process may not start commands as ${name}: only root may`);
  try {
    process.kill(child.pid, 0);
    const found = readOrNull(child.pid, systemTable);
    if (process.platform === 'linux' && (!found || systemTable.bears(found, marker) !== 'yes'))
      throw new Error(
        `this process may not see the environment of processes of ${name}, so it could not find them to stop them`,
      );
    process.kill(child.pid, 'SIGKILL');
  } catch (error) {
    if (fieldsOf(error)['code'] !== 'EPERM') throw error;
    throw new Error(`this process may not signal processes of ${name}, so it could not stop them`, { cause: error });
  } finally {
    child.stdin.end(); // also ends one that cannot be signaled
  }
}
