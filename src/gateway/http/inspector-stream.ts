// Sends the records of an inspector over one response, as fast as its client reads. A client that reads too slowly misses records.
//
// The socket holds at most one batch above its high-water mark; everything else stays in the ring of the inspector, which all readers share.
import type { ServerResponse } from 'node:http';
import type { Caller, SessionDirectory } from '../../core/session/api.ts';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import { atTimeOfDay } from '../../core/sources/time-of-day.ts';
import type { InspectionEvent } from '../../wire/inspection.ts';
import type { InspectionReader, InspectionSource, ReaderAccess } from '../../wire/inspection-source.ts';
import { commentEveryMs, sendEventStreamHeaders } from './event-stream.ts';
import { RecordAccess } from './record-access.ts';

/** The number of events that are written at once. Between two batches other work of the process goes on. */
const batchSize = 100;

/** The time that a stream waits at its end for verdicts from the store on what its reader may read. */
const lookUpTimeoutMs = 1_000;

export interface InspectorStreamOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** The time at which the token of the reader expires, in milliseconds since 1970; null: it does not expire. */
  readonly expiresAt: number | null;
  /** The session whose records are sent; null: all that the caller may read. */
  readonly session: string | null;
  /** The number of the last record that the client has; null: it has none. */
  readonly after: number | null;
  readonly caller: Caller;
  readonly directory: SessionDirectory;
  report(error: unknown): void;
  /** Called once, when the client is gone or the stream has ended. */
  onClose(): void;
}

export class InspectorStream {
  readonly #options: InspectorStreamOptions;
  readonly #access: RecordAccess;
  #reader: InspectionReader | null = null;
  /** `finishing`: sends what was recorded, then ends. `ending`: the same, but a session without a verdict counts as one that may not be read. */
  #state: 'open' | 'finishing' | 'ending' | 'closed' = 'open';
  /** `due`: the next batch is written by `setImmediate`. `full`: it is written when the client has read. */
  #sending: 'idle' | 'due' | 'full' = 'idle';
  #disarmComment: Disarm = () => {};
  /** Disarms the timer of the next step towards the end: the expiry of the token, then `lookUpTimeoutMs`. */
  #disarmEnd: Disarm = () => {};

  constructor(options: InspectorStreamOptions) {
    this.#options = options;
    const { response, clock, caller, directory, report } = options;
    const onKnown = () => (this.#state === 'finishing' ? this.#sendRest() : this.#sendSoon());
    this.#access = new RecordAccess({ caller, directory, clock, report, onKnown });
    response.on('error', () => {}); // `close` follows
    response.on('close', () => this.#close());
    response.on('drain', () => {
      if (this.#sending === 'full') this.#sending = 'idle';
      this.#sendSoon();
    });
  }

  /** Opens a reader, and sends what it reads until the client closes the response. */
  async open(source: InspectionSource): Promise<void> {
    const { response, clock, expiresAt, session, after } = this.#options;
    const access: ReaderAccess = {
      mayReadUnscoped: this.#access.mayReadUnscoped,
      mayRead: (name) => this.#access.mayRead(name) ?? (this.#state === 'ending' ? false : null),
    };
    const reader = await source.openReader({ session, access, after, onMore: () => this.#sendSoon() });
    if (this.#state !== 'open') return reader.close();
    this.#reader = reader;
    sendEventStreamHeaders(response);
    this.#armComment();
    if (expiresAt !== null) this.#disarmEnd = atTimeOfDay(clock, expiresAt, () => this.finish());
    this.#sendSoon();
  }

  /** Sends what was recorded until now, then ends the stream. A client that does not keep up misses the rest. */
  finish(): void {
    if (this.#state !== 'open') return;
    this.#state = 'finishing';
    this.#disarmComment();
    this.#disarmEnd();
    this.#disarmEnd = this.#options.clock.after(lookUpTimeoutMs, () => {
      this.#state = 'ending';
      this.#sendRest();
    });
    this.#sendRest();
  }

  #sendRest(): void {
    const { response } = this.#options;
    if (this.#state === 'closed' || response.writableEnded) return;
    while (this.#sending !== 'full') {
      const events = this.#reader?.read(batchSize) ?? [];
      if (events.length === 0 && this.#state === 'finishing' && this.#access.isLookingUp) return; // `onKnown` continues
      if (events.length === 0) break;
      if (!this.#write(events)) this.#sending = 'full';
    }
    this.#disarmEnd();
    response.end();
  }

  #sendSoon(): void {
    if (this.#sending !== 'idle' || this.#state !== 'open') return;
    this.#sending = 'due';
    setImmediate(() => this.#sendBatch());
  }

  #sendBatch(): void {
    this.#sending = 'idle';
    const { response } = this.#options;
    if (this.#state !== 'open' || response.writableEnded) return;
    const events = this.#reader?.read(batchSize) ?? [];
    if (events.length === 0) return;
    if (this.#write(events)) this.#sendSoon();
    else this.#sending = 'full';
  }

  /** Writes events. Returns false if the socket holds more than its high-water mark: the next batch waits until the client has read. */
  #write(events: readonly InspectionEvent[]): boolean {
    return this.#options.response.write(events.map(textOf).join(''));
  }

  #armComment(): void {
    const { clock, response } = this.#options;
    this.#disarmComment = clock.after(commentEveryMs, () => {
      if (this.#sending !== 'full') response.write(': still here\n\n');
      this.#armComment();
    });
  }

  #close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#disarmComment();
    this.#disarmEnd();
    this.#reader?.close();
    this.#options.onClose();
  }
}

function textOf({ type, data }: InspectionEvent): string {
  const id = 'n' in data ? `id: ${data.n}\n` : '';
  return `event: ${type}\n${id}data: ${JSON.stringify(data)}\n\n`;
}
