// Processes by the marker that every process of a call bears, as the system tells it and not as src/process sees it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Pids of living processes that bear the marker of one of these calls. */
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

/** Empty for one that is gone, a zombie, or another user's. */
function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
