// Identifies this process for other hosts, and finds out whether the process of another host is dead.
import { fieldsOf } from '../../core/collections/fields.ts';
import type { HostProcess } from '../../core/contracts/log.ts';
import { thisSystem } from './host-record.ts';
import { readAgain, readOrNull, systemTable } from './process-family.ts';

/** Reads the process of this host; null: the system does not say when it has started, so another one could be taken for it. */
export function readThisProcess(): HostProcess | null {
  const found = readOrNull(process.pid, systemTable);
  return found && { pid: found.pid, startTime: found.startTime, system: thisSystem() };
}

/** Whether the process is proven to be dead. False as well if it cannot be seen from here: in another container, or hidden. */
export function isProvenDead(host: HostProcess): boolean {
  if (host.system !== thisSystem()) return false;
  const found = readAgain(host, systemTable);
  if (found === 'unread') return false;
  return found === null ? !mayBeHidden(host.pid) : found.state === 'zombie';
}

/** Some systems hide the processes of other users, but not that a signal to them is not permitted. */
function mayBeHidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false; // of this user, so it is seen: it is another process under the same pid
  } catch (error) {
    return fieldsOf(error)['code'] === 'EPERM';
  }
}
