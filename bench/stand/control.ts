// The server's end of the channel to the benchmark: sends its address, and answers what only its own process can know.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { now } from './now.ts';

/** What a server is started with. */
export interface ServerInput {
  readonly store: 'disk' | 'memory';
  /** A folder of its own. */
  readonly folder: string;
  /** The model's endpoint. */
  readonly baseURL: string;
  /** Folders for commands, one for each that is to run beside others. */
  readonly roots: readonly string[];
  /** After so many milliseconds without a client Belay puts a session to sleep; left out: its default. */
  readonly idleMs?: number | undefined;
}

export type Question = 'marks' | 'cpu' | 'memory';
export type Answer = number | readonly number[];

let marks: number[] = [];

/** Notes that the signal of a tool has fired. */
export const mark = (): void => void marks.push(now());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const answers: Readonly<Record<Question, () => Answer>> = {
  /** The times since the last question. */
  marks() {
    const times = marks;
    marks = [];
    return times;
  },
  /** Microseconds of all threads, user and system. */
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Bytes that are reachable, in this thread. */
  memory() {
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
};

export const readInput = (): ServerInput => JSON.parse(process.argv[2] ?? '') as ServerInput;

/** Answers questions until the channel closes; then calls `close`, and exits. */
export function serve(url: string, close: () => Promise<unknown>): void {
  process.on('message', (question: Question) => process.send?.({ answer: answers[question]() }));
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.send?.({ url });
}
