// The server's end of the channel to the benchmark: sends the server's address, and answers questions about its process.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { now } from './now.ts';

/** The input that a server is started with. */
export interface ServerInput {
  readonly store: 'disk' | 'memory';
  /** A folder of its own. */
  readonly folder: string;
  /** The model's endpoint. */
  readonly baseURL: string;
  /** The folders in which commands run: one for each of the commands that run at the same time. */
  readonly roots: readonly string[];
  /** How a floor reads a response: as the `openai` client does, or by Belay's transport. */
  readonly transport: 'client' | 'lean';
  /** Milliseconds without a client after which Belay puts a session to sleep; left out: the default. */
  readonly idleMs?: number | undefined;
}

export type ControlQuestion = 'marks' | 'cpu' | 'memory';
export type ControlAnswer = number | readonly number[];

let marks: number[] = [];

/** Notes that the signal of a tool has fired. */
export const mark = (): void => void marks.push(now());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const answers: Readonly<Record<ControlQuestion, () => ControlAnswer>> = {
  /** The times that were noted since the last question. */
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
    collectGarbage();
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
};

export const readInput = (): ServerInput => JSON.parse(process.argv[2] ?? '') as ServerInput;

/** Answers questions until the channel closes; then calls `close`, and exits. */
export function serve(url: string, close: () => Promise<unknown>): void {
  process.on('message', (question: ControlQuestion) => process.send?.({ answer: answers[question]() }));
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
