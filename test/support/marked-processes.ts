// Finds processes by the marker of a call, from the system itself and not by src/adapters/processes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the pids of living processes with the marker of one of these calls. */
export function markedProcesses(calls: readonly string[]): number[] {
  const marks = calls.map((call) => `BELAY_NODE=${call}`);
  if (process.platform !== 'linux') {
    const table = execFileSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' });
    const lines = table.split('\n').filter((line) => marks.some((mark) => line.split(' ').includes(mark)));
    return lines.map((line) => Number.parseInt(line, 10));
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).some((variable) => marks.includes(variable))).map(Number);
}

/** Returns an empty text for a process that has ended, is a zombie, or belongs to another user. */
function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
