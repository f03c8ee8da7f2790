// A program of the checkout at a terminal: it gets keys, and an emulator shows what is on the screen. Killed at the end of the test.
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { compileCache } from './compile-cache.ts';
import { createEmulatedScreen, type EmulatedScreen } from './emulated-screen.ts';
import { until } from './until.ts';

export interface TerminalProgram extends Pick<EmulatedScreen, 'rows' | 'cursor'> {
  /** The lines of the scrollback and the screen. */
  readonly shown: () => string;
  /** Everything that the program has written. */
  readonly written: () => string;
  readonly pid: number;
  /** Types the keys one after the other, as fast as the program reads them. */
  press(keys: string): void;
  /** Pastes a text, as a terminal does that marks pastes. */
  paste(text: string): void;
  resize(columns: number, rows?: number): void;
  shows(what: string | RegExp, ms?: number): Promise<void>;
  /** Closes the terminal, as a person closes its window. */
  close(): void;
  /** The exit code. */
  ended(ms?: number): Promise<number>;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export const ctrlC = '\u0003';
export const ctrlD = '\u0004';
export const enter = '\r';

/** The path of a program that is given by its path below the root of the checkout. */
export const programPath = (program: string): string => join(import.meta.dirname, '..', '..', program);

/** `program` is a path below the root of the checkout. */
export const startAtTerminal = (
  program: string,
  args: readonly string[],
  options: TerminalOptions = {},
): TerminalProgram => startCommandAtTerminal(process.execPath, [programPath(program), ...args], options);

/** Starts any command, as a shell. */
export function startCommandAtTerminal(
  file: string,
  args: readonly string[],
  { columns = 120, rows = 40, env: more = {} }: TerminalOptions = {},
): TerminalProgram {
  const { PATH = '', XDG_STATE_HOME = '' } = process.env;
  const env = { PATH, XDG_STATE_HOME, TERM: 'xterm', ...compileCache(), ...more };
  const terminal: IPty = spawn(file, [...args], { cols: columns, rows, env });
  const screen = createEmulatedScreen(columns, rows);
  let written = '';
  let code: number | null = null;
  terminal.onData((data) => {
    written += data;
    screen.write(data);
  });
  terminal.onExit(({ exitCode }) => {
    code = exitCode;
  });
  onTestFinished(async () => {
    if (code === null) terminal.kill('SIGKILL');
    await until(() => code !== null);
  });
  const shown = () => screen.lines().join('\n');
  return {
    shown,
    rows: screen.rows,
    cursor: screen.cursor,
    written: () => written,
    pid: terminal.pid,
    press: (keys) => terminal.write(keys),
    paste: (text) => terminal.write(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`),
    resize(columns, rows = screen.size().rows) {
      screen.resize(columns, rows);
      terminal.resize(columns, rows);
    },
    close: () => (terminal as IPty & { destroy(): void }).destroy(), // its types leave it out
    async shows(what, ms = 10_000) {
      const isThere = () => (typeof what === 'string' ? shown().includes(what) : what.test(shown()));
      await until(isThere, { ms, what: `"${what}"` }).catch((error: Error) => {
        throw new Error(`${error.message}; the screen: ${shown()}`, { cause: error });
      });
    },
    ended: (ms = 10_000) =>
      until(() => (code === null ? null : { code }), { ms, what: `the end; the screen: ${shown()}` }).then(
        (it) => it.code,
      ),
  };
}
