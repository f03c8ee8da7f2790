// Spawns a command as the leader of a process group of its own, with its node's marker in the environment.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fchownSync, openSync } from 'node:fs';
import { type Duplex, Readable, type Writable } from 'node:stream';
import { fieldsOf } from '../../core/collections/fields.ts';
import { errorText } from '../../core/text/error-text.ts';
import type { CommandUser } from './command-user.ts';
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
  /** The id of its node, or of what several calls share. */
  readonly marker: string;
  /** `host`: it runs also while no call uses it. Left out: it belongs to one call. */
  readonly belongsTo?: 'host' | undefined;
  /** Another user that it runs as. */
  readonly user?: Pick<CommandUser, 'uid' | 'gid'> | undefined;
  /** A pipe, or closed: then a command that reads it does not wait. */
  readonly stdin?: 'pipe' | undefined;
  /** How many pipes it has beside the usual three, from descriptor 3 on: each for both directions. */
  readonly pipes?: number;
  /** Its output goes to a terminal, which is its session's controlling one. */
  readonly terminal?: TerminalSize | undefined;
}

export interface Spawned {
  readonly kind: 'spawned';
  readonly child: ChildProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** The error output; empty if there is a terminal, whose output has both. */
  readonly stderr: Readable;
  readonly pipes: readonly Duplex[];
  /** The child, in the process table: it is not reaped before its `exit` event. */
  readonly leader: ProcessInfo;
}

/** The command does not run. */
export interface SpawnFailed {
  readonly kind: 'failed';
  readonly message: string;
  /** The program, or the package that opens terminals, is not installed. */
  readonly isMissing: boolean;
}

const failed = ({ file, cwd }: Command, error: unknown): SpawnFailed => ({
  kind: 'failed',
  message: `${file} could not be started in ${cwd}: ${errorText(error)}`,
  isMissing: fieldsOf(error)['code'] === 'ENOENT' && existsSync(cwd),
});

/** Spawns a command. `stopped`: nothing was spawned, because the signal had fired. Never rejects. */
export async function spawnGroup(
  command: Command,
  signal: AbortSignal,
): Promise<Spawned | SpawnFailed | { readonly kind: 'stopped' }> {
  if (signal.aborted) return { kind: 'stopped' };
  if (!command.terminal) return spawnWith(command, null);
  let terminal: Terminal;
  try {
    terminal = await openTerminal(command.terminal);
    if (command.user) fchownSync(terminal.slave, command.user.uid, command.user.gid); // it opens it by its path
  } catch (error) {
    return { kind: 'failed', message: `No terminal could be opened: ${errorText(error)}`, isMissing: true };
  }
  const spawned = signal.aborted
    ? ({ kind: 'stopped' } as const)
    : await spawnWith({ ...command, ...onTerminal(command, terminal) }, terminal);
  terminal.releaseSlave();
  if (spawned.kind !== 'spawned') terminal.output.destroy();
  return spawned;
}

/** Returns stdin, stdout and stderr, then the other pipes; and `nothing` for each descriptor of a terminal that would be inherited. */
function stdioOf({ stdin, pipes = 0 }: Command, terminal: Terminal | null, nothing: number): StdioOptions {
  const output = terminal?.slave ?? 'pipe';
  const stdio: ('ignore' | 'pipe' | number)[] = [stdin ?? 'ignore', output, output, ...new Array(pipes).fill('pipe')];
  const length = Math.max(stdio.length, ...[...heldDescriptors].map((descriptor) => descriptor + 1));
  return Array.from({ length }, (_, at) => stdio[at] ?? (heldDescriptors.has(at) ? nothing : 'ignore'));
}

function spawnChild(command: Command, terminal: Terminal | null): ChildProcess {
  const { file, args, cwd, environment, marker, user } = command;
  const nothing = openSync('/dev/null', 'r+');
  try {
    return spawn(file, args, {
      cwd,
      ...(user && { uid: user.uid, gid: user.gid }), // and without the other groups of this process
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
    child.on('error', () => {}); // from here on it only repeats the `exit` event
    const pipes = child.stdio.slice(3, 3 + (command.pipes ?? 0)) as Duplex[];
    for (const pipe of [child.stdin, ...pipes]) pipe?.on('error', () => {}); // so does a pipe that nobody reads
    const leader = readOrNull(child.pid, systemTable);
    if (!leader) {
      process.kill(-child.pid, 'SIGKILL'); // ours for sure, as long as it has not been reaped
      return failed(command, new Error('the process table cannot be read'));
    }
    const stdout = terminal?.output ?? child.stdout;
    const stderr = child.stderr ?? Readable.from([]);
    if (!stdout) throw new Error('the child has no output');
    return { kind: 'spawned', child, stdin: child.stdin, stdout, stderr, pipes, leader };
  } catch (error) {
    return failed(command, error); // E2BIG or a NUL in an argument is thrown, not emitted
  }
}
