// Process table by `ps`, for macOS. It shows no environments: a process that has left its group and its parent is not found.
import { execFileSync } from 'node:child_process';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

const columns = 'pid=,ppid=,pgid=,stat=,lstart=';

function parseRow(line: string): ProcessInfo[] {
  const [, pid, parent, group, stat, startTime] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  if (pid === undefined || stat === undefined || startTime === undefined) return [];
  const state = stat.startsWith('Z') ? 'zombie' : 'alive';
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startTime, state }];
}

function runPs(...which: string[]): ProcessInfo[] {
  try {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
    return execFileSync('ps', [...which, '-o', columns], {
      encoding: 'latin1',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\n')
      .flatMap(parseRow);
  } catch (error) {
    const { status, code } = fieldsOf(error);
    if (typeof status === 'number' || code === 'ENOENT') return []; // its exit code is 1 when there is no such process
    throw error; // it could not be run
  }
}

/** Best effort. */
function listAllOrNone(): ProcessInfo[] {
  try {
    return runPs('-A');
  } catch {
    return [];
  }
}

export const ps: ProcessTable = {
  firstPollMs: 50, // each listing costs a process
  pollMs: 50,
  read: (pid) => runPs('-p', String(pid))[0] ?? null,
  group: (group) => listAllOrNone().filter((process) => process.group === group),
  children: (pid) => listAllOrNone().filter(({ parent }) => parent === pid),
  async list(visit = () => {}) {
    try {
      const all = runPs('-A'); // a snapshot of the system's own making
      for (const process of all) visit(process);
      return { processes: all, steady: true };
    } catch {
      return { processes: [], steady: false };
    }
  },
  startedSince: () => true,
  bears: () => 'no',
};
