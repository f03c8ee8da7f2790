// The log in a SQLite file, which a thread of its own writes: the event loop never waits for a disk.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BlobTooLarge } from '../../core/contracts/blobs.ts';
import {
  type Deletion,
  Fenced,
  HeldElsewhere,
  type Host,
  type Log,
  type LogBody,
  type LoggedEvent,
  type LogHead,
  type NewestEvents,
  StoreFailed,
} from '../../core/contracts/log.ts';
import { systemSources } from '../../core/sources/system.ts';
import { SqliteBlobRequests } from './sqlite-blobs.ts';
import { SqliteDeletionRequests } from './sqlite-deletions.ts';
import type { EventRow, PlacedRow, ReadRequest, StoreMessage, StoreReply, WriteRequest } from './sqlite-messages.ts';

interface InFlight {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Beside this file, under the same ending: `.js` once it is built. */
const workerFile = new URL(`./sqlite-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

type Failure = Extract<StoreReply, { readonly error: string }>;

const errorOf = (failure: Failure): Error => {
  if (failure.error === 'HeldElsewhere') return new HeldElsewhere(failure.session);
  if (failure.error === 'BlobTooLarge') return new BlobTooLarge(failure.limit, failure.bytes, failure.maxBytes);
  return failure.error === 'Fenced' ? new Fenced(failure.message) : new StoreFailed(failure.message, failure);
};

const eventOf = ({ seq, epoch, body }: EventRow): LoggedEvent => ({
  seq,
  epoch,
  body: JSON.parse(body) as LogBody, // the text of `append`
});

class SqliteLog implements Log {
  readonly #requests = {
    write: <Value>(request: WriteRequest) => this.#write<Value>(request),
    read: <Value>(request: ReadRequest) => this.#read<Value>(request),
  };
  readonly blobs = new SqliteBlobRequests(this.#requests);
  readonly deletions = new SqliteDeletionRequests(this.#requests);
  readonly findSessions: NonNullable<Log['findSessions']> = (search, after, limit) =>
    this.#read({ op: 'findSessions', search, after, limit });
  failures = 0;
  readonly #worker: Worker;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #inMaking = new Set<string>();
  readonly #ended = Promise.withResolvers<void>();
  #state: 'open' | 'closing' | 'ended' = 'open';
  /** Rejects the requests that come when the log is not open any more. */
  #endError = new StoreFailed('The log is closed.');
  #lastId = 0;

  constructor(path: string) {
    this.#worker = new Worker(workerFile, { workerData: { path, maker: systemSources.ids('log') }, name: 'log' });
    this.#worker.unref();
    this.#worker.on('message', (replies: readonly StoreReply[]) => this.#receive(replies));
    this.#worker.on('error', (error) => {
      this.#endError = new StoreFailed('The thread of the log has died.', { cause: error });
    });
    this.#worker.on('exit', () => this.#onExit());
  }

  head(session: string): Promise<LogHead> {
    return this.#read({ op: 'head', session });
  }

  claim(session: string, expectedEpoch: number, host: string): Promise<number> {
    return this.#write({ op: 'claim', session, expectedEpoch, host });
  }

  release(session: string, epoch: number): Promise<void> {
    return this.#write({ op: 'release', session, epoch });
  }

  orphaned(): Promise<readonly string[]> {
    return this.#read({ op: 'orphaned' });
  }

  startLease(host: Host, leaseMs: number): Promise<void> {
    return this.#write({ op: 'startLease', host, leaseMs });
  }

  renewLease(host: string, leaseMs: number): Promise<void> {
    return this.#write({ op: 'renewLease', host, leaseMs });
  }

  endLease(host: string): Promise<void> {
    return this.#write({ op: 'endLease', host });
  }

  hosts(): ReturnType<Log['hosts']> {
    return this.#read({ op: 'hosts' });
  }

  async append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number> {
    const texts = bodies.map((body) => JSON.stringify(body));
    return this.#write({ op: 'append', session, epoch, expectedSeq, bodies: texts });
  }

  async read(session: string, afterSeq: number, limit = Number.MAX_SAFE_INTEGER): Promise<readonly LoggedEvent[]> {
    const rows = await this.#read<readonly EventRow[]>({ op: 'read', session, afterSeq, limit });
    return rows.map(eventOf);
  }

  async findCommand(session: string, speaker: string, ref: string): Promise<LoggedEvent | null> {
    const row = await this.#read<EventRow | null>({ op: 'findCommand', session, speaker, ref });
    return row && eventOf(row);
  }

  async readNewest(before: number | null, limit: number): Promise<NewestEvents> {
    const rows = await this.#read<readonly PlacedRow[]>({ op: 'readNewest', before, limit });
    const next = rows.length < limit ? null : (rows.at(-1)?.place ?? null);
    return { bodies: rows.map(({ body }) => JSON.parse(body) as LogBody), next }; // only `append` writes bodies
  }

  async findMembership(session: string, speaker: string): Promise<readonly LoggedEvent[]> {
    const rows = await this.#read<readonly EventRow[]>({ op: 'findMembership', session, speaker });
    return rows.map(eventOf);
  }

  listSessions(after: string | null, limit: number): Promise<readonly string[]> {
    return this.#read({ op: 'listSessions', after, limit });
  }

  async createSession(
    ...[session, bodies, blobs, origin]: Parameters<NonNullable<Log['createSession']>>
  ): Promise<void> {
    if (this.#inMaking.has(session)) throw new Fenced(`${session} is being made.`);
    this.#inMaking.add(session);
    try {
      const { makeSession } = await import('./sqlite-drafts.ts');
      await makeSession((request) => this.#write(request), systemSources.clock, session, bodies, blobs, origin);
    } finally {
      this.#inMaking.delete(session);
      this.#receive([]); // the process may end now
    }
  }

  deleteSession(session: string): Promise<Deletion> {
    return this.#write({ op: 'deleteSession', session });
  }

  close(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      this.#worker.ref();
      this.#worker.postMessage({ kind: 'close' } satisfies StoreMessage);
    }
    return this.#ended.promise;
  }

  #write<Value>(request: WriteRequest): Promise<Value> {
    return this.#request((id) => ({ kind: 'write', id, request }));
  }

  #read<Value>(request: ReadRequest): Promise<Value> {
    return this.#request((id) => ({ kind: 'read', id, request }));
  }

  /** `Value` is what src/adapters/stores/sqlite-store.ts returns for the request. */
  #request<Value>(messageOf: (id: number) => StoreMessage): Promise<Value> {
    if (this.#state !== 'open') return Promise.reject(this.#endError);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#inFlight.set(this.#lastId, { resolve, reject });
    this.#worker.ref();
    this.#worker.postMessage(messageOf(this.#lastId));
    return promise as Promise<Value>; // the value of the reply to this request
  }

  #receive(replies: readonly StoreReply[]): void {
    for (const reply of replies) {
      const request = this.#inFlight.get(reply.id);
      this.#inFlight.delete(reply.id);
      if ('value' in reply) request?.resolve(reply.value);
      else request?.reject(errorOf(reply));
      if ('error' in reply && reply.error === 'StoreFailed') this.failures += 1;
    }
    // a session that is being made keeps the process alive in its pauses, too
    if (this.#inFlight.size === 0 && this.#inMaking.size === 0 && this.#state === 'open') this.#worker.unref();
  }

  #onExit(): void {
    if (this.#state === 'open' && !this.#endError.cause)
      this.#endError = new StoreFailed('The thread of the log has ended.');
    this.#state = 'ended';
    for (const request of this.#inFlight.values()) request.reject(this.#endError);
    this.#inFlight.clear();
    this.#ended.resolve();
  }
}

/**
 * Opens a log in a SQLite file. The first request that cannot open the file rejects with `StoreFailed`, and the next one tries again. When the
 * thread dies, every request rejects with `StoreFailed`. An open log does not keep the process alive, a request in flight does.
 *
 * @param options.path The file, made with its folder if it does not exist; its `-wal` and `-shm` lie beside it.
 */
export function createSqliteLog({ path }: { readonly path: string }): Log {
  return new SqliteLog(path);
}
