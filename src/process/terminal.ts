// A terminal for a command: what it prints to as if a person were looking. Nobody types at it: stdin stays closed.
//
// Of @lydell/node-pty only the opening of a pair is used, below its own face. What it offers above (`spawn`) reaps the child in
// a thread of its own: its pid could be another's by the time that a signal is sent, and the ladder could not believe what it sees.
// So the child is Node's like any other, and takes the terminal for its session's controlling one by opening it.
//
// Its descriptors are not marked to be closed in children, and Node cannot do it: `heldDescriptors` are covered in everything that is
// spawned meanwhile, or a command could read what another one's terminal shows.
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { ReadStream } from 'node:tty';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal {
  /** The descriptor of the command's end. */
  readonly slave: number;
  readonly path: string;
  /** What is printed to it. Ends when nobody holds the other end any more. */
  readonly output: Readable;
  /** Gives up the own hold on the command's end. */
  leave(): void;
}

interface Opened {
  readonly master: number;
  readonly slave: number;
  readonly pty: string;
}

const held = new Set<number>();

/** Descriptors of open terminals, which no command may inherit. */
export const heldDescriptors: ReadonlySet<number> = held;

/** Rejects where the package, or its part for this platform, is not installed. */
export async function openTerminal({ columns, rows }: TerminalSize): Promise<Terminal> {
  // @ts-expect-error: it has no types
  const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
  const { master, slave, pty }: Opened = requireBinary('pty.node').open(columns, rows);
  const output = new ReadStream(master);
  for (const descriptor of [master, slave]) held.add(descriptor);
  output.once('close', () => held.delete(master));
  const leave = () => {
    closeSync(slave);
    held.delete(slave);
  };
  return { slave, path: pty, output, leave };
}

/** `1<>`: opening it for reading is what makes a terminal the controlling one; `-onlcr`: lines end as in a pipe. */
const takeTerminal = 'exec 1<>"$0" 2>&1; stty -onlcr <&1 2>/dev/null; exec "$@"';

interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** The program with the terminal taken by the process that it becomes. */
export const onTerminal = ({ file, args }: Program, { path }: Terminal): Program => ({
  file: '/bin/sh',
  args: ['-c', takeTerminal, path, file, ...args],
});
