// A program of ours as a child process: what it prints, how it ends. Ended with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

export interface Child {
  readonly process: ChildProcess;
  /** What it has printed by now. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  type(line: string): void;
  signal(name: NodeJS.Signals): void;
  /** Signals, again after a second if need be, until the condition holds: signals that come together count as one. */
  signalUntil(name: NodeJS.Signals, condition: () => boolean): Promise<void>;
  /** Resolves when it has printed that. */
  untilPrinted(what: string | RegExp, ms?: number): Promise<readonly string[]>;
  /** The exit code, or the signal that ended it. */
  ended(ms?: number): Promise<number | NodeJS.Signals>;
}

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Instead of the environment of the tests, of which only PATH is kept. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `program` is a path below the root of the checkout. */
export function startChild(program: string, { args = [], cwd, env = {} }: ChildOptions = {}): Child {
  const path = join(import.meta.dirname, '..', '..', program);
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? '', ...env },
    ...(cwd !== undefined && { cwd }),
  });
  let out = '';
  let err = '';
  let end: number | NodeJS.Signals | null = null;
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  child.on('exit', (code, signal) => {
    end = code ?? signal;
  });
  child.stdin.on('error', () => {}); // it has gone first
  onTestFinished(async () => {
    if (end === null) child.kill('SIGKILL');
    await until(() => end !== null);
  });
  const all = () => `${out}${err && `\nstderr: ${err}`}`;
  return {
    process: child,
    stdout: () => out,
    stderr: () => err,
    type: (line) => child.stdin.write(`${line}\n`),
    signal: (name) => child.kill(name),
    async signalUntil(name, condition) {
      for (let tries = 0; tries < 5; tries++) {
        child.kill(name);
        try {
          await until(condition, { ms: 1_000 });
          return;
        } catch {
          // it came together with the last one
        }
      }
      throw new Error(`${name} was not heard; printed: ${all()}`);
    },
    untilPrinted: (what, ms = 10_000) =>
      until(() => (typeof what === 'string' ? (out.includes(what) ? [what] : null) : out.match(what)), {
        ms,
        what: `"${what}"`,
      }).catch((error: Error) => {
        throw new Error(`${error.message}; printed: ${all()}`, { cause: error });
      }),
    ended: (ms = 10_000) =>
      until(() => (end === null ? null : { end }), { ms, what: `the end; printed: ${all()}` }).then((it) => it.end),
  };
}
