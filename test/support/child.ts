// A program of the checkout as a child process, killed at the end of the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { togetherMs } from '../../src/programs/signals.ts';
import { compileCache } from './compile-cache.ts';
import { until } from './until.ts';

export interface Child {
  readonly process: ChildProcess;
  /** Its output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  type(line: string): void;
  signal(name: NodeJS.Signals): void;
  /** Sends the signal until the condition holds or the program has ended, up to five times. Called when the effect of the last signal was seen: a program counts signals that arrive together as one. */
  signalUntil(name: NodeJS.Signals, condition: () => boolean): Promise<void>;
  /** Resolves when it has printed the text. */
  untilPrinted(what: string | RegExp, ms?: number): Promise<readonly string[]>;
  /** The exit code, or the signal that ended it. */
  ended(ms?: number): Promise<number | NodeJS.Signals>;
}

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Its environment, to which the PATH, the state folder and the compile cache of the tests are added. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `program` is a path below the root of the checkout. */
export function startChild(program: string, { args = [], cwd, env = {} }: ChildOptions = {}): Child {
  const path = join(import.meta.dirname, '..', '..', program);
  const child = spawn(process.execPath, [path, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? '',
      ...compileCache(),
      ...env,
    },
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
  child.stdin.on('error', () => {}); // the child has ended first
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
        const since = performance.now();
        await until(() => performance.now() - since > togetherMs, { what: 'a signal of its own' });
        child.kill(name);
        try {
          await until(() => end !== null || condition(), { ms: 1_000 });
          return;
        } catch {
          // it arrived together with the last one
        }
      }
      throw new Error(`${name} had no effect; printed: ${all()}`);
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
