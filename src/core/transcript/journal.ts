// The journal of a session: the only writer of its log. It keeps the order of the calls of `append`.
//
// 1. A fact gets its sequence number in the tick of `append`, and is passed on as committed only after its commit.
// 2. At most one write to the log is in flight. Calls of `append` that come meanwhile are grouped into the next write; none is split.
// 3. Every fact is passed to the same projections in the same order: when it is appended, and again when it has committed.
// 4. After `close` nothing is accepted or passed on, and no promise of `append` resolves.
import type { Fact, FactOf, FactType, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import { msBetween } from '../sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../sources/sources.ts';
import { GroupWrite } from './group-write.ts';

/** What a projection does with a fact of each type; nothing with the others. One table serves all projections of a class, each of which is its `this`. */
export type FactHandlers<P> = {
  readonly [T in FactType]?: (this: P, fact: RecordedFact & FactOf<T>, seq: number) => void;
};

/** A fact that this process has appended. */
export interface AppendedFact extends SequencedFact {
  /** When: `at` of the fact is the time of day. */
  readonly appendedAt: MonotonicTime;
}

/** Derives something from the facts of a session, one by one. Nothing of it may throw. */
export interface Projection {
  /** Called in the tick of `append`: with some facts, or with all. */
  readonly appended?: FactHandlers<never>;
  onAppended?(event: SequencedFact): void;
  /** Called after the commit, before the promises of `append` resolve: with some facts, or with all. */
  readonly committed?: FactHandlers<never>;
  onCommitted?(event: AppendedFact): void;
}

/** Returns one handler for all of these types. */
export const handlersOf = <P, T extends FactType>(
  types: Iterable<T>,
  handle: (this: P, fact: RecordedFact & FactOf<T>, seq: number) => void,
): FactHandlers<P> => Object.fromEntries([...types].map((type) => [type, handle]));

/** Passes the fact to the projection's handler of its type. */
export function passFact<P>(projection: P, handlers: FactHandlers<P> | undefined, { fact, seq }: SequencedFact): void {
  type Handle = (this: P, fact: RecordedFact, seq: number) => void;
  const handle = handlers?.[fact.type] as Handle | undefined; // the key is the type of the fact
  handle?.call(projection, fact, seq);
}

/** The interface of a journal for parts that only append facts. */
export interface Appender {
  /** The sequence number of the last fact that was appended. */
  readonly lastSeq: number;
  /** Resolves after the commit of these facts and of all before them; never, if the journal closes first. Never rejects. */
  append(facts: readonly Fact[]): Promise<void>;
}

/** Why a journal closed by itself. */
export type JournalFailure = 'store_failed' | 'fenced';

export interface JournalOptions {
  readonly log: Log;
  readonly session: string;
  readonly clock: Clock;
  /** Milliseconds after which a write is given up, from its first failure; also the timeout of its first attempt. */
  readonly storeDeadlineMs: number;
  /** Called once, and not after `close`. `error`: the last error of the store; null if the store did not respond. */
  onFailure(reason: JournalFailure, error: unknown): void;
}

interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
}

/** A write with at least this many facts takes no further call of `append`. */
const maxGroupFacts = 256;

export class Journal implements Appender {
  readonly #options: JournalOptions;
  #projections: readonly Projection[] = [];
  #state: 'unclaimed' | 'idle' | 'writing' | 'closed' = 'unclaimed';
  #epoch = 0;
  #lastSeq = 0;
  #committedSeq = 0;
  #queuedCalls: (readonly AppendedFact[])[] = [];
  /** When each turn that runs has started. */
  readonly #turns = new Map<NodeId, MonotonicTime>();
  #waiters: Waiter[] = [];
  #groupWrite: GroupWrite | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** The epoch of the claim; 0 before the claim. */
  get epoch(): number {
    return this.#epoch;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The sequence number of the last fact that has committed. */
  get committedSeq(): number {
    return this.#committedSeq;
  }

  /** Calls of `append` that wait to be written, promises that wait for a commit, and turns that run. */
  get size(): number {
    return this.#queuedCalls.length + this.#waiters.length + this.#turns.size;
  }

  /** Whether the session was claimed and the journal was not closed. */
  get isOpen(): boolean {
    return this.#state === 'idle' || this.#state === 'writing';
  }

  /** Passes every fact to these projections, in this order, from now on. */
  setProjections(projections: readonly Projection[]): void {
    this.#projections = projections;
  }

  /** Accepts facts from now on. `epoch`: of the claim on the session. `last`: the sequence number at which its log ends. */
  open(epoch: number, last: number): void {
    if (this.#state !== 'unclaimed') return;
    this.#state = 'idle';
    this.#epoch = epoch;
    this.#lastSeq = last;
    this.#committedSeq = last;
  }

  append(facts: readonly Fact[]): Promise<void> {
    if (!this.isOpen) return new Promise(() => {});
    const { clock } = this.#options;
    const at = clock.now();
    const appendedAt = clock.elapsed();
    const events = facts.map((fact, i) => {
      const measured = { ...writable(fact), ...this.#measureTurn(fact, appendedAt), at };
      return { seq: this.#lastSeq + i + 1, fact: measured, appendedAt };
    });
    this.#lastSeq += events.length;
    if (this.#committedSeq === this.#lastSeq) return Promise.resolve();
    const upTo = this.#lastSeq;
    const committed = new Promise<void>((resolve) => this.#waiters.push({ upTo, resolve }));
    if (events.length > 0) {
      this.#queuedCalls.push(events);
      if (this.#state === 'idle') {
        this.#state = 'writing';
        queueMicrotask(() => this.#writeNext()); // groups all calls of this tick into one write
      }
      for (const event of events)
        for (const projection of this.#projections) {
          passFact(projection as never, projection.appended, event); // its own table
          projection.onAppended?.(event);
        }
    }
    return committed;
  }

  /** Drops the facts that were not sent to the log yet, and passes nothing on any more. */
  close(): void {
    this.#state = 'closed';
    this.#groupWrite?.stop();
    this.#groupWrite = null;
    this.#queuedCalls = [];
    this.#waiters = [];
  }

  /** Returns how long a turn has run, with the fact of its end. */
  #measureTurn(fact: Fact, at: MonotonicTime): { readonly ms: number } | null {
    if (fact.type === 'turn_started') this.#turns.set(fact.turn, at);
    if (fact.type !== 'turn_ended') return null;
    const startedAt = this.#turns.get(fact.turn);
    this.#turns.delete(fact.turn);
    return startedAt === undefined ? null : { ms: msBetween(startedAt, at) };
  }

  #writeNext(): void {
    if (this.#state === 'closed') return;
    const events: AppendedFact[] = [];
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

  #commit(events: readonly AppendedFact[]): void {
    this.#groupWrite = null;
    this.#committedSeq = events.at(-1)?.seq ?? this.#committedSeq;
    for (const event of events)
      for (const projection of this.#projections) {
        passFact(projection as never, projection.committed, event); // its own table
        projection.onCommitted?.(event);
      }
    const due = this.#waiters.filter(({ upTo }) => upTo <= this.#committedSeq);
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#committedSeq);
    for (const { resolve } of due) resolve();
    this.#writeNext();
  }
}

const isWritable = (value: unknown): boolean => {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns the fact itself, or a copy in which a note stands for each field that JSON cannot represent: third-party code may have put such a
 * value into it, and the session must not lose its log by it.
 */
export function writable<Fact extends object>(fact: Fact): Fact {
  if (isWritable(fact)) return fact;
  const fields = Object.entries(fact).map(([name, value]) => [name, isWritable(value) ? value : '[not writable]']);
  return Object.fromEntries(fields) as Fact; // a note may have another type than its field; the copy is only written
}
