// Starts the scripted endpoint as a child process and ends it. The child goes when this process goes, also by kill -9.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../core/sources/sources.ts';

/** Timeout until the child has printed its address, in milliseconds. */
export const readyMs = 20_000;
/** From the end of the child's stdin to a kill, in milliseconds. */
export const endMs = 2_000;

export interface ScriptedEndpoint {
  /** The base address for a client: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has ended. Harmless when repeated. */
  close(): Promise<void>;
}

interface StartOptions {
  readonly clock: Clock;
  /** For tests: opens the addresses by which answers are scripted and the log is read. */
  readonly control?: boolean;
}

/** Rejects if the child ends, or prints no address within `readyMs`. */
export async function startScriptedEndpoint({ clock, control = false }: StartOptions): Promise<ScriptedEndpoint> {
  const program = fileURLToPath(new URL(`./program${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...(control ? ['--control'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: childEnvironment(),
  });
  child.stdin.on('error', () => {}); // the child has gone first
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const close = async (): Promise<void> => {
    child.stdin.end();
    const disarm = clock.after(endMs, () => child.kill('SIGKILL'));
    await gone;
    disarm();
  };
  try {
    const url = await readyLine(child, clock);
    return { url, pid: child.pid as number, close }; // it has printed its address, so it was spawned
  } catch (error) {
    await close();
    throw error;
  }
}

/** Variables of this process that the child has too: no keys, no options that are meant for the parent. */
const passed = ['PATH', 'NODE_COMPILE_CACHE'];

function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    passed.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function readyLine(child: ChildProcessByStdio<Writable, Readable, null>, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) => reject(new Error(`the scripted endpoint did not start: ${why}`));
    const disarm = clock.after(readyMs, () => failed(`it printed no address within ${readyMs} ms`));
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code, signal) => failed(`it ended with ${signal ?? code}`));
    const lines = createInterface({ input: child.stdout });
    lines.once('line', (line) => {
      disarm();
      lines.close();
      child.stdout.resume();
      resolve((JSON.parse(line) as { url: string }).url); // the first line of program.ts
    });
  });
}
