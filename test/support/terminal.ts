// A program of the checkout at a terminal: it gets keys and writes to a screen. Killed at the end of the test.
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

export interface TerminalProgram {
  /** Everything written to the screen so far, without control sequences. */
  readonly shown: () => string;
  /** Types the keys one after the other, as fast as the program reads them. */
  press(keys: string): void;
  shows(what: string | RegExp, ms?: number): Promise<void>;
  /** Closes the terminal, as a person closes its window. */
  close(): void;
  /** The exit code. */
  ended(ms?: number): Promise<number>;
}

export const ctrlC = '\u0003';
export const enter = '\r';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences start with a control character
const steering = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** `program` is a path below the root of the checkout. */
export function startAtTerminal(program: string, args: readonly string[]): TerminalProgram {
  const path = join(import.meta.dirname, '..', '..', program);
  const { PATH = '', XDG_STATE_HOME = '' } = process.env;
  const env = { PATH, XDG_STATE_HOME, TERM: 'xterm' };
  const terminal: IPty = spawn(process.execPath, [path, ...args], { cols: 120, rows: 40, env });
  let screen = '';
  let code: number | null = null;
  terminal.onData((data) => {
    screen += data;
  });
  terminal.onExit(({ exitCode }) => {
    code = exitCode;
  });
  onTestFinished(async () => {
    if (code === null) terminal.kill('SIGKILL');
    await until(() => code !== null);
  });
  const shown = () => screen.replace(steering, '').replaceAll('\r', '');
  return {
    shown,
    press: (keys) => terminal.write(keys),
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
