// The log in a SQLite file, which a thread of its own writes: the event loop never waits for a disk.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fenced, type Log, type LogBody, type LogHead, StoreFailed } from './log.ts';
import type { Answer, Letter, Request } from './sqlite-worker.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface Row {
  readonly seq: number;
  readonly epoch: number;
  readonly body: string;
}

/** The same file name under another ending, once it is built. */
const workerFile = new URL(`./sqlite-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/**
 * `path` is a file, which is made with its folder when it does not exist; beside it lie its `-wal` and `-shm`. The first
 * request that cannot open it rejects with `StoreFailed`, and the next one tries again. When the thread dies, every
 * request rejects with `StoreFailed`. An open log does not keep the process alive, a request under way does.
 */
export function createSqliteLog({ path }: { readonly path: string }): Log {
  const worker = new Worker(workerFile, { workerData: { path }, name: 'log' });
  const waiting = new Map<number, Waiting>();
  const gone = Promise.withResolvers<void>();
  let asked = 0;
  let state: 'open' | 'closing' | 'gone' = 'open';
  let end = new StoreFailed('The log is closed.');
  worker.unref();

  worker.on('message', (answers: readonly Answer[]) => {
    for (const answer of answers) {
      const one = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('value' in answer) one?.resolve(answer.value);
      else one?.reject(new { Fenced, StoreFailed }[answer.error](answer.message));
    }
    if (waiting.size === 0 && state === 'open') worker.unref();
  });
  worker.on('error', (error) => {
    end = new StoreFailed('The thread of the log has died.', { cause: error });
  });
  worker.on('exit', () => {
    if (state === 'open') end = end.cause ? end : new StoreFailed('The thread of the log has ended.');
    state = 'gone';
    for (const one of waiting.values()) one.reject(end);
    waiting.clear();
    gone.resolve();
  });

  const send = (request: Request): number => {
    const letter: Letter = { id: ++asked, request };
    worker.ref();
    worker.postMessage(letter);
    return letter.id;
  };
  const ask = <Value>(request: Request): Promise<Value> =>
    state === 'open'
      ? new Promise<Value>((resolve, reject) => {
          waiting.set(send(request), { resolve: (value) => resolve(value as Value), reject });
        })
      : Promise.reject(end);

  return {
    head: (session) => ask<LogHead>({ op: 'head', session }),
    claim: (session, expectedEpoch, holder) => ask<number>({ op: 'claim', session, expectedEpoch, holder }),
    release: (session, epoch) => ask<void>({ op: 'release', session, epoch }),
    held: () => ask<string[]>({ op: 'held' }),
    async append(session, epoch, expectedSeq, bodies) {
      return ask<number>({
        op: 'append',
        session,
        epoch,
        expectedSeq,
        bodies: bodies.map((body) => JSON.stringify(body)),
      });
    },
    async read(session, afterSeq, limit = Number.MAX_SAFE_INTEGER) {
      const rows = await ask<readonly Row[]>({ op: 'read', session, afterSeq, limit });
      return rows.map(({ seq, epoch, body }) => ({ seq, epoch, body: JSON.parse(body) as LogBody }));
    },
    close() {
      if (state === 'open') {
        state = 'closing';
        send({ op: 'close' });
      }
      return gone.promise;
    },
  };
}
