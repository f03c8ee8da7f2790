// Spawns a command as the leader of a process group of its own, with its call's marker in the environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { systemTable } from './find.ts';
import { markerName, type Process } from './table.ts';

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
}

export interface Spawned {
  readonly kind: 'spawned';
  readonly child: ChildProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The child, in the process table: it cannot be gone before its exit has been heard. */
  readonly leader: Process;
}

/** Nothing runs. */
export interface SpawnFailed {
  readonly kind: 'failed';
  readonly message: string;
}

const failed = ({ file, cwd }: Command, error: unknown): SpawnFailed => ({
  kind: 'failed',
  message: `${file} could not be started in ${cwd}: ${error instanceof Error ? error.message : String(error)}`,
});

export async function spawnGroup(command: Command): Promise<Spawned | SpawnFailed> {
  const { file, args, cwd, environment, marker, stdin } = command;
  try {
    const options = {
      cwd,
      env: { ...environment, [markerName]: marker },
      detached: true, // a session and a group of its own
    };
    const child =
      stdin === 'pipe'
        ? spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
        : spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid === undefined) {
      const [error] = await once(child, 'error');
      return failed(command, error);
    }
    child.on('error', () => {}); // from here on it would only repeat what the exit says
    child.stdin?.on('error', () => {}); // so would a pipe that nobody reads
    const leader = systemTable.read(child.pid);
    if (!leader) {
      process.kill(-child.pid, 'SIGKILL'); // ours for sure, as long as it has not been reaped
      return failed(command, new Error('the process table cannot be read'));
    }
    return { kind: 'spawned', child, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, leader };
  } catch (error) {
    return failed(command, error); // E2BIG, a NUL in an argument: thrown, not told
  }
}
