// The pool of processes that sweep scenarios: a pool of one sweeps in this process, a larger one in child processes.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type ScenarioResult, type SweepSettings, type SweepTask, sweepScenario } from './scenario-sweep.ts';

/** Sweeps one task at a time. */
export interface Sweeper {
  /** Rejects if its process ends. */
  sweep(task: SweepTask): Promise<ScenarioResult>;
  close(): void;
}

/** The argument of scripts/prove/sweeps/sweep-process.ts, as JSON. */
export interface SweepProcessOptions {
  readonly settings: SweepSettings;
  readonly plant: string | null;
}

/** Opens `count` sweepers: one sweeps in this process, several in child processes. `plant`: the bug that each child process plants. */
export function openSweepers({
  count,
  ...options
}: SweepProcessOptions & { readonly count: number }): readonly Sweeper[] {
  if (count > 1) return Array.from({ length: count }, () => new SweepingChild(options));
  return [{ sweep: (task) => sweepScenario(task, options.settings), close: () => {} }];
}

class SweepingChild implements Sweeper {
  readonly #child: ChildProcess;

  constructor(options: SweepProcessOptions) {
    this.#child = fork(join(import.meta.dirname, 'sweep-process.ts'), [JSON.stringify(options)]);
  }

  /** The process receives the task as a message. Its reply is a `ScenarioResult`. */
  sweep(task: SweepTask): Promise<ScenarioResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ScenarioResult>();
    const onExit = (code: number | null) =>
      reject(new Error(`The process that swept ${task.name} has ended with the exit code ${code}.`));
    this.#child.once('exit', onExit);
    this.#child.once('message', (result) => {
      this.#child.off('exit', onExit);
      resolve(result as ScenarioResult); // it sends nothing else
    });
    this.#child.send(task);
    return promise;
  }

  close(): void {
    this.#child.kill();
  }
}
