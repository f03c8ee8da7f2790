// Process table of the tests, read from /proc or by `ps`, and not by the code under test.
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { passedEnvironment } from '../../../src/adapters/processes/environment.ts';
import { type ProcessEnd, type RunOptions, runProcess } from '../../../src/adapters/processes/started-command.ts';
import type { TerminalSize } from '../../../src/adapters/processes/terminal.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { until } from '../../support/until.ts';

export const programs = join(import.meta.dirname, '..', '..', 'children');

/** A number of seconds that nothing else sleeps: by it a test's processes are recognized. */
export const newToken = () => `61${randomInt(1_000, 9_999)}.${randomInt(100_000, 999_999)}`;

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** `Z…`: dead and not reaped. `T…`: suspended. */
  readonly state: string;
}

const isLinux = process.platform === 'linux';

/** Lists all processes. `ps` costs many times what /proc does, and some tests ask until something has ended. */
function listProcesses(): readonly ListedProcess[] {
  if (isLinux) return pidsOfProc().flatMap((pid) => readStat(pid) ?? []);
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return table.split('\n').map((line) => {
    const [pid, parent, group, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), group: Number(group), state };
  });
}

const pidsOfProc = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

function readStat(pid: number): ListedProcess | null {
  const text = readOfProcess(pid, 'stat');
  const [state = '', parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name may have spaces in it
  return text === '' ? null : { pid, parent: Number(parent), group: Number(group), state };
}

/** Returns an empty text for a process that has ended, or belongs to another user. */
function readOfProcess(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Pids of living processes with `token` in their command line. */
export function living(token: string): number[] {
  // a process that is dead and not reaped has no command line there
  if (isLinux) return pidsOfProc().filter((pid) => readOfProcess(pid, 'cmdline').replaceAll('\0', ' ').includes(token));
  return execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(token) && !/^\s*\d+\s+Z/.test(line))
    .map((line) => Number.parseInt(line, 10));
}

/** Pids of living processes in a process group. */
export const livingInGroup = (of: number): number[] =>
  listProcesses().flatMap(({ pid, group, state }) => (group === of && !state.startsWith('Z') ? [pid] : []));

/** Pids of the living children of a process. */
export const startedBy = (of: number): number[] =>
  listProcesses().flatMap(({ pid, parent, state }) => (parent === of && !state.startsWith('Z') ? [pid] : []));

/** The parent of a living process; 0: it has ended. */
export const parentOf = (of: number): number =>
  listProcesses().find(({ pid, state }) => pid === of && !state.startsWith('Z'))?.parent ?? 0;

/** Whether a living process with `token` in its command line is suspended. */
export function isSuspended(token: string): boolean {
  const pids = living(token);
  return listProcesses().some(({ pid, state }) => pids.includes(pid) && state.startsWith('T'));
}

/** Children of this process that are dead and not reaped. */
export const zombies = (): number[] =>
  listProcesses().flatMap(({ pid, parent, state }) => (parent === process.pid && state.startsWith('Z') ? [pid] : []));

interface Running {
  readonly stop: AbortController;
  readonly kill: AbortController;
  /** Its output so far. */
  printed(): string;
  /** As `process_started` would record it. */
  started(): { readonly group: number; readonly startTime: string };
  readonly end: Promise<ProcessEnd>;
}

const unfinished = new Set<Running>();

/** After a test that failed half way: nothing of it may run into the next one. */
export async function endAll(): Promise<void> {
  for (const { stop, kill, end } of unfinished) {
    stop.abort();
    kill.abort();
    await end.catch(() => {});
  }
}

/** Runs /bin/sh with these arguments under the module that is tested. */
export function runShell(
  args: readonly string[],
  options: Partial<RunOptions> & { marker?: string; cwd?: string; terminal?: TerminalSize } = {},
): Running {
  const stop = new AbortController();
  const kill = new AbortController();
  let text = '';
  let started: ReturnType<Running['started']> | undefined;
  const { marker = systemSources.ids('call'), cwd = '/', terminal } = options;
  const end = runProcess(
    { file: '/bin/sh', args, cwd, environment: passedEnvironment(), marker, ...(terminal && { terminal }) },
    {
      signal: stop.signal,
      kill: kill.signal,
      clock: systemSources.clock,
      termGraceMs: 300,
      maxOutputChars: 10_000,
      onOutput: (piece) => {
        text += piece;
      },
      onStarted: (process) => {
        started = process;
      },
      ...options,
    },
  );
  const running: Running = {
    stop,
    kill,
    printed: () => text,
    started: () => {
      if (!started) throw new Error('it has not started');
      return started;
    },
    end,
  };
  unfinished.add(running);
  const done = () => unfinished.delete(running);
  end.then(done, done);
  return running;
}

/** Runs a program of test/children until it has printed its first line. */
export async function runProgram(
  name: string,
  token: string,
  options: Parameters<typeof runShell>[1] = {},
): Promise<Running> {
  const running = runShell([join(programs, name), token], options);
  await until(() => running.printed().includes('\n'), { what: `the first line of ${name}` });
  return running;
}

/** A host of its own that runs the program, and is killed -9 when the program has started. */
export async function runUnderDyingHost(
  name: string,
  token: string,
  marker: string,
): Promise<{ group: number; startTime: string }> {
  const host = spawn(process.execPath, [join(programs, 'host-with-process.ts'), marker, join(programs, name), token], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let line = '';
  host.stdout.on('data', (chunk) => {
    line += chunk;
  });
  await until(() => line.includes('\n'), { what: 'the host to have started its process' });
  host.kill('SIGKILL');
  await until(() => host.signalCode !== null, { what: 'the host to be dead' });
  return JSON.parse(line.slice(0, line.indexOf('\n')));
}
