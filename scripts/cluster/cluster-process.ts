// A process of `npm run cluster`: its output, its end, and the signals that end it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** As much of the end of its output is kept, in characters: the rest of a long life is of no use. */
const keptChars = 20_000;

export interface ProcessOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The user and group that it runs as. Left out: those of this process. */
  readonly user?: number | undefined;
}

/** A program cannot be found. */
export class NoSuchProgram extends Error {
  override readonly name = 'NoSuchProgram';
}

export class ClusterProcess {
  readonly #child;
  readonly #name;
  readonly #ended = Promise.withResolvers<string>();
  #output = '';
  #onOutput = (_: string): void => {};

  /** `file`: a path, or a name that is looked up in PATH. It has a process group of its own: Ctrl-C in a terminal reaches this process only, which ends the others in order. */
  constructor(name: string, file: string, { args, cwd, env = process.env, user }: ProcessOptions) {
    this.#name = name;
    this.#child = spawn(file, args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user !== undefined && { uid: user, gid: user }),
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (data) => {
        this.#output = (this.#output + data).slice(-keptChars);
        this.#onOutput(this.#output);
      });
    this.#ended.promise.catch(() => {}); // nobody may wait for it
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#child.pid !== undefined) return; // a signal that was not sent
      this.#ended.reject(error.code === 'ENOENT' ? new NoSuchProgram(`There is no ${file} here.`) : error);
    });
    this.#child.on('close', (code, signal) => this.#ended.resolve(signal ?? `exit code ${code}`));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with the signal or the exit code, when it has ended. Rejects if it was not started. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Resolves with the first match in its output. Rejects with its output if it ends before. */
  async untilPrinted(pattern: RegExp): Promise<RegExpMatchArray> {
    const { promise, resolve } = Promise.withResolvers<RegExpMatchArray>();
    this.#onOutput = (output) => {
      const match = output.match(pattern);
      if (match) resolve(match);
    };
    this.#onOutput(this.#output);
    const end = this.ended.then((how) => {
      throw this.#failure(how);
    });
    return Promise.race([promise, end]);
  }

  /** Resolves when it has ended with the exit code 0. Rejects with its output otherwise. */
  async untilDone(): Promise<void> {
    const how = await this.ended;
    if (how !== 'exit code 0') throw this.#failure(how);
  }

  /** Sends the signal. Resolves when the process has ended. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.pid === undefined) return;
    const closed = this.#hasEnded() ? null : once(this.#child, 'exit');
    this.#child.kill(signal);
    await closed;
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #failure(how: string): Error {
    return new Error(`${this.#name} has ended (${how}):\n${this.#output.trimEnd()}`);
  }
}
