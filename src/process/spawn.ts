// Spawns a command as the leader of a process group of its own, with its call's marker in the environment.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { type Duplex, Readable, type Writable } from 'node:stream';
import { readOrNull, systemTable } from './process-family.ts';
import { markerName, type ProcessInfo } from './process-table.ts';
import { heldDescriptors, onTerminal, openTerminal, type Terminal, type TerminalSize } from './terminal.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** All of it, the marker apart. */
  readonly environment: Readonly<Record<string, string>>;
  /** The id of the call's node. */
  readonly marker: string;
  /** Left out: closed, so that what reads it does not wait. */
  readonly stdin?: 'pipe';
  /** How many pipes it has beside the usual three, from descriptor 3 on: each for both directions. */
  readonly pipes?: number;
  /** Its output goes to a terminal, which is its session's controlling one. */
  readonly terminal?: TerminalSize;
}

export interface Spawned {
  readonly kind: 'spawned';
  readonly child: ChildProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** Empty where there is a terminal: it carries both. */
  readonly stderr: Readable;
  readonly pipes: readonly Duplex[];
  /** The child, in the process table: it cannot be gone before its exit has been heard. */
  readonly leader: ProcessInfo;
}

/** Nothing runs. */
export interface SpawnFailed {
  readonly kind: 'failed';
  readonly message: string;
  /** The program, or the part that makes terminals, is not there. */
  readonly isMissing: boolean;
}

const failed = ({ file, cwd }: Command, error: unknown): SpawnFailed => ({
  kind: 'failed',
  message: `${file} could not be started in ${cwd}: ${error instanceof Error ? error.message : String(error)}`,
  isMissing: (error as NodeJS.ErrnoException | null)?.code === 'ENOENT' && existsSync(cwd),
});

/** `stopped`: nothing was spawned, because the signal had fired. */
export async function spawnGroup(
  command: Command,
  signal: AbortSignal,
): Promise<Spawned | SpawnFailed | { readonly kind: 'stopped' }> {
  if (signal.aborted) return { kind: 'stopped' };
  if (!command.terminal) return spawnWith(command, null);
  let terminal: Terminal;
  try {
    terminal = await openTerminal(command.terminal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', message: `There is no terminal to be had: ${why}`, isMissing: true };
  }
  const spawned = signal.aborted
    ? ({ kind: 'stopped' } as const)
    : await spawnWith({ ...command, ...onTerminal(command, terminal) }, terminal);
  terminal.leave();
  if (spawned.kind !== 'spawned') terminal.output.destroy();
  return spawned;
}

/** stdin, stdout and stderr, then the others; and nothing where a terminal would be inherited. */
function stdioOf({ stdin, pipes = 0 }: Command, terminal: Terminal | null, nothing: number): StdioOptions {
  const output = terminal?.slave ?? 'pipe';
  const stdio: ('ignore' | 'pipe' | number)[] = [stdin ?? 'ignore', output, output, ...new Array(pipes).fill('pipe')];
  const length = Math.max(stdio.length, ...[...heldDescriptors].map((descriptor) => descriptor + 1));
  return Array.from({ length }, (_, at) => stdio[at] ?? (heldDescriptors.has(at) ? nothing : 'ignore'));
}

function spawnChild(command: Command, terminal: Terminal | null): ChildProcess {
  const { file, args, cwd, environment, marker } = command;
  const nothing = openSync('/dev/null', 'r+');
  try {
    return spawn(file, args, {
      cwd,
      env: { ...environment, [markerName]: marker },
      detached: true, // a session and a group of its own
      stdio: stdioOf(command, terminal, nothing),
    });
  } finally {
    closeSync(nothing);
  }
}

async function spawnWith(command: Command, terminal: Terminal | null): Promise<Spawned | SpawnFailed> {
  try {
    const child = spawnChild(command, terminal);
    if (child.pid === undefined) {
      const [error] = await once(child, 'error');
      return failed(command, error);
    }
    child.on('error', () => {}); // from here on it would only repeat what the exit says
    const pipes = child.stdio.slice(3, 3 + (command.pipes ?? 0)) as Duplex[];
    for (const pipe of [child.stdin, ...pipes]) pipe?.on('error', () => {}); // so would a pipe that nobody reads
    const leader = readOrNull(child.pid, systemTable);
    if (!leader) {
      process.kill(-child.pid, 'SIGKILL'); // ours for sure, as long as it has not been reaped
      return failed(command, new Error('the process table cannot be read'));
    }
    const stdout = terminal?.output ?? child.stdout;
    const stderr = child.stderr ?? Readable.from([]);
    if (!stdout) throw new Error('it has no output');
    return { kind: 'spawned', child, stdin: child.stdin, stdout, stderr, pipes, leader };
  } catch (error) {
    return failed(command, error); // E2BIG, a NUL in an argument: thrown, not told
  }
}
