// The process table by `ps`, for macOS. It shows no environments: a process that has left its group and its parent is not found.
import { execFileSync } from 'node:child_process';
import type { Process, Table } from './table.ts';

const columns = 'pid=,ppid=,pgid=,stat=,lstart=';

function parse(line: string): Process[] {
  const [, pid, parent, group, stat, startTime] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  if (pid === undefined || stat === undefined || startTime === undefined) return [];
  const state = stat.startsWith('Z') ? 'zombie' : 'alive';
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startTime, state }];
}

function processes(...which: string[]): Process[] {
  try {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
    return execFileSync('ps', [...which, '-o', columns], {
      encoding: 'latin1',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\n')
      .flatMap(parse);
  } catch {
    return []; // it ends with code 1 when there is no such process
  }
}

export const ps: Table = {
  firstPollMs: 50, // each look costs a process
  pollMs: 50,
  read: (pid) => processes('-p', String(pid))[0] ?? null,
  group: (group) => processes('-A').filter((process) => process.group === group),
  children: (pid) => processes('-A').filter(({ parent }) => parent === pid),
  async list(visit = () => {}) {
    const all = processes('-A'); // a snapshot of the system's own making
    for (const process of all) visit(process);
    return { processes: all, steady: true };
  },
  startedSince: () => true,
  bears: () => 'no',
};
