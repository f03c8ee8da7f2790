// Terminal for the output of a command that wants one. It has no input: stdin stays closed.
//
// Only the native `open` of @lydell/node-pty is used, which opens the two ends of a terminal. Its `spawn` reaps the child in a thread of
// its own: a pid could then belong to another process when a signal is sent to it, and termination relies on pids. So Node spawns the
// child like any other, and the child makes the terminal the controlling one of its session by opening it.
//
// The descriptors of a terminal stay open in children, and Node cannot mark them to be closed there. So every spawn puts /dev/null in
// the place of `heldDescriptors`, or a command could read what another one prints to its terminal.
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
  /** The output of the command. Ends when nobody holds the other end any more. */
  readonly output: Readable;
  /** Closes this process's descriptor of the command's end. */
  releaseSlave(): void;
}

/** The result of the native `open`. `pty`: the path of the command's end. */
interface Opened {
  readonly master: number;
  readonly slave: number;
  readonly pty: string;
}

const held = new Set<number>();

/** Descriptors of open terminals, which no command may inherit. */
export const heldDescriptors: ReadonlySet<number> = held;

/** Opens a terminal. Rejects if the package, or its part for this platform, is not installed. */
export async function openTerminal({ columns, rows }: TerminalSize): Promise<Terminal> {
  // @ts-expect-error: it has no types
  const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
  const { master, slave, pty }: Opened = requireBinary('pty.node').open(columns, rows);
  const output = new ReadStream(master);
  for (const descriptor of [master, slave]) held.add(descriptor);
  output.once('close', () => held.delete(master));
  const releaseSlave = () => {
    closeSync(slave);
    held.delete(slave);
  };
  return { slave, path: pty, output, releaseSlave };
}

/**
 * The script that opens the terminal, and then becomes the program. `1<>` opens it for reading too, which makes it the controlling one. `-onlcr`: lines
 * end as in a pipe.
 */
const openOwnTerminal = 'exec 1<>"$0" 2>&1; stty -onlcr <&1 2>/dev/null; exec "$@"';

interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** Returns a program that makes the terminal its own and then becomes the given one. */
export const onTerminal = ({ file, args }: Program, { path }: Terminal): Program => ({
  file: '/bin/sh',
  args: ['-c', openOwnTerminal, path, file, ...args],
});
