// The log in a SQLite file, which a thread of its own writes: the event loop never waits for a disk.
import {
  type Deletion,
  Fenced,
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
import {
  type DraftRequest,
  type EventRow,
  errorOfReply,
  type PlacedRow,
  type ReadRequest,
  type StoreMessage,
  type StorePort,
  type StoreReply,
  type WriteRequest,
} from './sqlite-messages.ts';
import { startStoreThread } from './sqlite-thread.ts';

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
  readonly #port: StorePort;
  readonly #inFlight = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #inMaking = new Set<string>();
  readonly #ended = Promise.withResolvers<void>();
  #state: 'open' | 'closing' | 'ended' = 'open';
  /** Rejects the requests that come when the log is not open any more. */
  #endError = new StoreFailed('The log is closed.');
  #lastId = 0;
  /** The host that makes sessions; undefined: it has no lease yet. */
  #maker: string | undefined;

  constructor(port: StorePort) {
    this.#port = port;
    port.unref();
    port.on('message', (replies) => this.#receive(replies));
    port.on('error', (error) => {
      this.#endError = new StoreFailed('The thread of the log has died.', { cause: error });
    });
    port.on('exit', () => this.#onExit());
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
    this.#maker = host.id;
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
      const write = <Value>(request: DraftRequest) => this.#write<Value>({ ...request, maker: this.#maker });
      await makeSession(write, systemSources.clock, session, bodies, blobs, origin);
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
      this.#port.ref();
      this.#port.postMessage({ kind: 'close' } satisfies StoreMessage);
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
    const inFlight = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#inFlight.set(this.#lastId, inFlight);
    this.#port.ref();
    this.#port.postMessage(messageOf(this.#lastId));
    return inFlight.promise as Promise<Value>; // the value of the reply to this request
  }

  #receive(replies: readonly StoreReply[]): void {
    for (const reply of replies) {
      const request = this.#inFlight.get(reply.id);
      this.#inFlight.delete(reply.id);
      if ('value' in reply) request?.resolve(reply.value);
      else request?.reject(errorOfReply(reply));
      if ('error' in reply && reply.error === 'StoreFailed') this.failures += 1;
    }
    // a session that is being made keeps the process alive in its pauses, too
    if (this.#inFlight.size === 0 && this.#inMaking.size === 0 && this.#state === 'open') this.#port.unref();
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
  return createLogOn(startStoreThread(path));
}

/** Creates a log whose requests go to a port. */
export const createLogOn = (port: StorePort): Log => new SqliteLog(port);
