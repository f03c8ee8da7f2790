// The journal of a session: the only one that appends to its log, in the order of the calls.
//
// 1. A fact gets its sequence number in the tick of `append`; nothing is published as committed before its commit.
// 2. One append is in flight; facts that come meanwhile go into the next one, whole calls together.
// 3. Every fact passes through the same list of projections, fed here: with its number, then with its commit.
// 4. Once closed, it accepts nothing, publishes nothing, and no promise of `append` resolves any more.
import type { Fact, SequencedFact } from '../../machines/facts.ts';
import type { Clock } from '../sources/sources.ts';
import { GroupWrite } from './group-write.ts';
import { writable } from './json-safe.ts';
import type { Log } from './log.ts';

/** Derives something from the facts of a session, one by one. No method may throw. */
export interface Projection {
  /** In the tick of `append`. */
  onAppended?(event: SequencedFact): void;
  /** After the commit, before the promises of `append` resolve. */
  onCommitted?(event: SequencedFact): void;
}

/** Appends facts; what most parts of a session need of a journal. */
export interface Appender {
  /** Resolves with the commit of these facts and of all before them, or never. Never rejects. */
  append(facts: readonly Fact[]): Promise<void>;
}

/** Why a journal closed by itself. */
export type JournalFailure = 'store_failed' | 'fenced';

export interface JournalOptions {
  readonly log: Log;
  readonly session: string;
  readonly clock: Clock;
  /** Milliseconds from an append's first failure to giving up; also how long it may stay without any answer. */
  readonly storeDeadlineMs: number;
  /** Called once, and not after `close`. `error` is the store's last one; null when it gave no answer. */
  onFailure(reason: JournalFailure, error: unknown): void;
}

interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
}

const maxGroupFacts = 256; // facts, from which on a group takes no further call

export class Journal implements Appender {
  readonly #options: JournalOptions;
  #projections: readonly Projection[] = [];
  #state: 'unclaimed' | 'idle' | 'writing' | 'closed' = 'unclaimed';
  #epoch = 0;
  #lastSeq = 0;
  #committedSeq = 0;
  #queuedCalls: (readonly SequencedFact[])[] = [];
  #waiters: Waiter[] = [];
  #groupWrite: GroupWrite | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** The epoch of the claim; 0 before it. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The last number given. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The number of the last fact that has committed. */
  get committedSeq(): number {
    return this.#committedSeq;
  }

  /** Facts and promises that wait for a commit. */
  get size(): number {
    return this.#queuedCalls.length + this.#waiters.length;
  }

  /** Whether the session was claimed and the journal was not closed. */
  get isOpen(): boolean {
    return this.#state === 'idle' || this.#state === 'writing';
  }

  /** Feeds these projections, in this order, with every fact from now on. */
  setProjections(projections: readonly Projection[]): void {
    this.#projections = projections;
  }

  /** Accepts facts from now on: the session was claimed in this epoch, and its log ends at `last`. */
  open(epoch: number, last: number): void {
    if (this.#state !== 'unclaimed') return;
    this.#state = 'idle';
    this.#epoch = epoch;
    this.#lastSeq = last;
    this.#committedSeq = last;
  }

  append(facts: readonly Fact[]): Promise<void> {
    if (!this.isOpen) return new Promise(() => {});
    const at = this.#options.clock.now();
    const events = facts.map((fact, i) => ({ seq: this.#lastSeq + i + 1, fact: { ...writable(fact), at } }));
    this.#lastSeq += events.length;
    if (this.#committedSeq === this.#lastSeq) return Promise.resolve();
    const upTo = this.#lastSeq;
    const committed = new Promise<void>((resolve) => this.#waiters.push({ upTo, resolve }));
    if (events.length > 0) {
      this.#queuedCalls.push(events);
      if (this.#state === 'idle') {
        this.#state = 'writing';
        queueMicrotask(() => this.#writeNext()); // whatever else this tick brings goes into the same append
      }
      for (const event of events) for (const projection of this.#projections) projection.onAppended?.(event);
    }
    return committed;
  }

  /** Demolition: facts that have not been sent to the log will not be, and nothing is published. */
  close(): void {
    this.#state = 'closed';
    this.#groupWrite?.stop();
    this.#groupWrite = null;
    this.#queuedCalls = [];
    this.#waiters = [];
  }

  #writeNext(): void {
    if (this.#state === 'closed') return;
    const events: SequencedFact[] = [];
    for (let call = this.#queuedCalls[0]; call && events.length < maxGroupFacts; call = this.#queuedCalls[0]) {
      events.push(...call);
      this.#queuedCalls.shift();
    }
    if (events.length === 0) {
      this.#state = 'idle';
      return;
    }
    const { log, session, clock, storeDeadlineMs } = this.#options;
    this.#groupWrite = new GroupWrite({
      log,
      session,
      epoch: this.#epoch,
      from: this.#committedSeq,
      facts: events.map(({ fact }) => fact),
      clock,
      storeDeadlineMs,
      written: () => this.#commit(events),
      failed: (reason, error) => {
        this.close();
        this.#options.onFailure(reason, error);
      },
    });
  }

  #commit(events: readonly SequencedFact[]): void {
    this.#groupWrite = null;
    this.#committedSeq = events.at(-1)?.seq ?? this.#committedSeq;
    for (const event of events) for (const projection of this.#projections) projection.onCommitted?.(event);
    const due = this.#waiters.filter(({ upTo }) => upTo <= this.#committedSeq);
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#committedSeq);
    for (const { resolve } of due) resolve();
    this.#writeNext();
  }
}
