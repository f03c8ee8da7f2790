// Reads the inspector's stream of the gateway into a store, and connects again when it is lost. A record that was received is not asked for again.
import { pauseMs } from '../../../client/backoff.ts';
import { platformSources } from '../../../client/client-sources.ts';
import { fieldsOf } from '../../../core/collections/fields.ts';
import { msSince } from '../../../core/sources/monotonic-time.ts';
import { pageClock, type StopTimer } from '../../page-state/page-clock.ts';
import { problemText } from '../../page-state/problem-text.ts';
import { EventStreamParser, type StreamEvent } from './event-stream-parser.ts';
import { parseRecord } from './parse-record.ts';
import type { RecordStore } from './record-store.ts';

/** `refused`: the gateway does not give the records to this speaker, or has none; it is not asked again. `closed`: nobody reads them any more. */
export type SourceState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'lost'; readonly message: string; readonly retryInMs: number }
  | { readonly kind: 'refused'; readonly title: string; readonly message: string; readonly advice: string }
  | { readonly kind: 'closed' };

export interface RecordSourceOptions {
  /** The session whose records are read; null: all. */
  readonly session: string | null;
  readonly store: RecordStore;
  /** Sends a request with the credentials of the page. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
}

/** The gateway sends a comment every 15 s. */
const maxSilenceMs = 40_000;
/** After a longer time without a stream nobody may have observed the runtime: the picture starts anew from what is alive. */
const maxAwayMs = 10_000;
const backoff = { minMs: 300, maxMs: 5_000 };

/** What a refusal means, and what to do. */
const refusals: Readonly<Record<number, { readonly title: string; readonly advice: string }>> = {
  401: { title: 'The gateway does not know you any more.', advice: 'Sign in again.' },
  403: {
    title: 'Only a moderator can watch the machines.',
    advice: 'They show what everybody does: sign in with a token that has the role "moderator".',
  },
  404: {
    title: 'There is no such session for you, or this gateway has no inspector.',
    advice: 'A saved inspection can be opened all the same.',
  },
};

export class RecordSource {
  readonly #options: RecordSourceOptions;
  readonly #listeners = new Set<() => void>();
  #state: SourceState = { kind: 'connecting' };
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #retry: StopTimer = () => {};
  #silence: StopTimer = () => {};
  #failures = 0;
  /** The runtime whose records the store has; null: none yet. */
  #inspector: string | null = null;
  /** The `n` of the last record that was received or that the gateway had dropped. */
  #lastN = 0;
  /** When the last piece of the stream was received. */
  #receivedAt = pageClock.elapsed();

  constructor(options: RecordSourceOptions) {
    this.#options = options;
    this.subscribe = this.subscribe.bind(this);
    this.getState = this.getState.bind(this);
    void this.#connect();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  getState(): SourceState {
    return this.#state;
  }

  /** Tries again at once. */
  retryNow(): void {
    this.#retry();
    if (this.#state.kind === 'lost' || this.#state.kind === 'refused') void this.#connect();
  }

  /** Closes the stream. */
  close(): void {
    this.#enter({ kind: 'closed' });
    this.#retry();
    this.#silence();
    void this.#reader?.cancel().catch(() => {});
  }

  async #connect(): Promise<void> {
    this.#enter({ kind: 'connecting' });
    try {
      const { session, request } = this.#options;
      const query = new URLSearchParams(session === null ? {} : { session });
      if (this.#inspector !== null) query.set('after', String(this.#lastN));
      const response = await request(`api/inspector/records?${query}`, { headers: { accept: 'text/event-stream' } });
      if (this.#isClosed()) return void response.body?.cancel();
      const { status } = response;
      const refusal = refusals[status];
      if (refusal) return this.#enter({ kind: 'refused', message: await problemText(response), ...refusal });
      if (!response.ok || !response.body) throw new Error(await problemText(response));
      await this.#read(response.body);
      this.#fail('The gateway has ended the stream.');
    } catch (error) {
      this.#fail(sentenceOf(error));
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    this.#reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventStreamParser();
    for (;;) {
      this.#silence();
      this.#silence = pageClock.after(maxSilenceMs, () => void this.#reader?.cancel().catch(() => {}));
      const { done, value } = await this.#reader.read();
      if (done || this.#isClosed()) return;
      const awayMs = msSince(pageClock, this.#receivedAt);
      this.#receivedAt = pageClock.elapsed();
      for (const event of parser.push(decoder.decode(value, { stream: true }))) this.#onEvent(event, awayMs);
    }
  }

  #onEvent({ type, data }: StreamEvent, awayMs: number): void {
    const { store } = this.#options;
    const value = parseJson(data);
    if (type === 'start') return this.#onStart(value, awayMs);
    if (type === 'gap') return this.#onGap(value);
    const record = parseRecord(value);
    if (!record) return; // of a later version
    if (type === 'alive') {
      if (record.type === 'actor') store.identify(record);
      return;
    }
    this.#lastN = Math.max(this.#lastN, record.n);
    store.receive(record);
  }

  #onStart(value: unknown, awayMs: number): void {
    const { store } = this.#options;
    const { inspector } = fieldsOf(value);
    const isKnown = this.#inspector !== null && this.#inspector === inspector;
    if (this.#inspector !== null && !isKnown) store.clear();
    else if (isKnown && awayMs > maxAwayMs) store.noteGap(0);
    if (!isKnown) this.#lastN = 0;
    this.#inspector = typeof inspector === 'string' ? inspector : '';
    this.#failures = 0;
    this.#enter({ kind: 'open' });
  }

  /** This page was too slow for what the gateway keeps. The actors that are alive follow. */
  #onGap(value: unknown): void {
    const { from, to } = fieldsOf(value);
    if (typeof from !== 'number' || typeof to !== 'number') return;
    this.#options.store.noteGap(Math.max(0, to - from + 1));
    this.#lastN = Math.max(this.#lastN, to);
  }

  #fail(message: string): void {
    this.#silence();
    this.#reader = null;
    if (this.#isClosed()) return;
    this.#failures += 1;
    const retryInMs = pauseMs(this.#failures, platformSources.random, backoff);
    this.#enter({ kind: 'lost', message, retryInMs });
    this.#retry = pageClock.after(retryInMs, () => void this.#connect());
  }

  #isClosed(): boolean {
    return this.#state.kind === 'closed';
  }

  #enter(state: SourceState): void {
    if (this.#isClosed()) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A browser names the loss of a connection in words of its own, and by a `TypeError`. */
function sentenceOf(error: unknown): string {
  if (error instanceof TypeError) return 'the gateway cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}
