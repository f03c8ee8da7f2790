// The journal of a session: the only writer of its log. It keeps the order of the calls of `append`.
//
// 1. A fact gets its sequence number in the tick of `append`, and is passed on as committed only after its commit.
// 2. At most one write to the log is in flight. Calls of `append` that come meanwhile are grouped into the next write; none is split. A write begins
//    when the promises of its tick have settled.
// 3. Every fact is passed to the same projections in the same order: when it is appended, and again when it has committed.
// 4. After `close` nothing is accepted or passed on, and no promise of `append` resolves.
// 5. A group is written once, however often the attempt is repeated: only after a look at the head of the log, for the answer to a write can be lost.
import type { Fact, FactOf, FactType, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { Fenced, type Log, StoreWentBack } from '../contracts/log.ts';
import { msBetween } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';

/** Facts that follow from an appended one, and become part of its append. */
type FollowUps = readonly Fact[] | undefined;

/** What a projection does with a fact of each type; nothing with the others. One table serves all projections of a class, each of which is its `this`. */
export type FactHandlers<P> = {
  readonly [T in FactType]?: (this: P, fact: RecordedFact & FactOf<T>, seq: number) => FollowUps;
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
  handle: (this: P, fact: RecordedFact & FactOf<T>, seq: number) => FollowUps,
): FactHandlers<P> => Object.fromEntries([...types].map((type) => [type, handle]));

/** Passes the fact to the projection's handler of its type. */
export function passFact<P>(
  projection: P,
  handlers: FactHandlers<P> | undefined,
  { fact, seq }: SequencedFact,
): FollowUps {
  type Handle = (this: P, fact: RecordedFact, seq: number) => FollowUps;
  const handle = handlers?.[fact.type] as Handle | undefined; // the key is the type of the fact
  return handle?.call(projection, fact, seq);
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

/** A write with at least this many facts gets no further call of `append`. */
const maxGroupFacts = 256;

export class Journal implements Appender {
  readonly #options: JournalOptions;
  #projections: readonly Projection[] = [];
  #state: 'unclaimed' | 'idle' | 'writing' | 'closed' = 'unclaimed';
  #epoch = 0;
  #lastSeq = 0;
  #committedSeq = 0;
  #queuedCalls: (readonly AppendedFact[])[] = [];
  /** When each turn and each call that runs has started. */
  readonly #started = new Map<NodeId, MonotonicTime>();
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

  /** Calls of `append` that wait to be written, promises that wait for a commit, and nodes that run. */
  get size(): number {
    return this.#queuedCalls.length + this.#waiters.length + this.#started.size;
  }

  /** Returns when a turn or a call that runs has started; undefined: it has not, or it is over. */
  startedAt(node: NodeId): MonotonicTime | undefined {
    return this.#started.get(node);
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
    const call: AppendedFact[] = [];
    if (facts.length > 0) {
      this.#queuedCalls.push(call);
      if (this.#state === 'idle') {
        this.#state = 'writing';
        const afterPromises = clock.afterPromises ?? queueMicrotask;
        afterPromises(() => this.#writeNext()); // groups what follows without waiting: a turn opens and calls its model in one write
      }
    }
    // facts that follow from others join their call
    for (let added = facts; added.length > 0; ) {
      const at = clock.now();
      const appendedAt = clock.elapsed();
      const events = added.map((fact) => {
        const measured = { ...writable(fact), ...this.#measureNode(fact, appendedAt), at };
        return { seq: ++this.#lastSeq, fact: measured, appendedAt };
      });
      call.push(...events);
      added = events.flatMap((event) =>
        this.#projections.flatMap((projection) => {
          const following = passFact(projection as never, projection.appended, event) ?? []; // its own table
          projection.onAppended?.(event);
          return following;
        }),
      );
    }
    if (this.#committedSeq === this.#lastSeq) return Promise.resolve();
    const upTo = this.#lastSeq;
    return new Promise<void>((resolve) => this.#waiters.push({ upTo, resolve }));
  }

  /** Drops the facts that were not sent to the log yet, and passes nothing on any more. */
  close(): void {
    this.#state = 'closed';
    this.#groupWrite?.stop();
    this.#groupWrite = null;
    this.#queuedCalls = [];
    this.#waiters = [];
  }

  /** Notes the starts of turns and calls. Returns how long a turn has run, with the fact of its end. */
  #measureNode(fact: Fact, at: MonotonicTime): { readonly ms: number } | null {
    if (fact.type === 'turn_started') this.#started.set(fact.turn, at);
    if (fact.type === 'tool_started') this.#started.set(fact.node, at);
    if (fact.type === 'late_result' || (fact.type === 'tool_result' && fact.outcome !== 'continues'))
      this.#started.delete(fact.node);
    if (fact.type !== 'turn_ended') return null;
    const startedAt = this.#started.get(fact.turn);
    this.#started.delete(fact.turn);
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
    this.#groupWrite = new GroupWrite(
      this.#options,
      { epoch: this.#epoch, from: this.#committedSeq, facts: events.map(({ fact }) => fact) },
      () => this.#commit(events),
      (reason, error) => {
        this.close();
        this.#options.onFailure(reason, error);
      },
    );
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

/** Facts that are written together. */
interface Group {
  readonly epoch: number;
  /** The sequence number that the log ends at before the group. */
  readonly from: number;
  readonly facts: readonly RecordedFact[];
}

const firstPauseMs = 20;
const maxPauseMs = 500;

/** One group on its way to the log. After `stop`, and after its outcome, it does nothing more. */
class GroupWrite {
  readonly #options: JournalOptions;
  readonly #group: Group;
  readonly #onWritten: () => void;
  readonly #onFailed: JournalOptions['onFailure'];
  #state: 'writing' | 'over' = 'writing';
  #failures = 0;
  #error: unknown = null;
  #disarmDeadline: Disarm | null = null;
  #disarmPause: Disarm | null = null;

  /** Starts the first attempt. One of the two is called, once, unless it was stopped. */
  constructor(options: JournalOptions, group: Group, onWritten: () => void, onFailed: JournalOptions['onFailure']) {
    this.#options = options;
    this.#group = group;
    this.#onWritten = onWritten;
    this.#onFailed = onFailed;
    this.#armDeadline();
    void this.#attempt();
  }

  stop(): void {
    this.#state = 'over';
    this.#disarmDeadline?.();
    this.#disarmPause?.();
  }

  async #attempt(): Promise<void> {
    const { log, session } = this.#options;
    const { epoch, from, facts } = this.#group;
    try {
      if (this.#failures === 0 || !(await this.#isWritten())) {
        if (this.#state === 'over') return;
        await log.append(session, epoch, from, facts);
      }
    } catch (error) {
      return this.#repeat(error);
    }
    if (this.#state === 'over') return;
    this.stop();
    this.#onWritten();
  }

  #repeat(error: unknown): void {
    if (this.#state === 'over') return;
    this.#error = error;
    if (error instanceof Fenced) return this.#fail(error instanceof StoreWentBack ? 'store_failed' : 'fenced');
    this.#failures++;
    if (this.#failures === 1) this.#armDeadline();
    const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (this.#failures - 1));
    this.#disarmPause = this.#options.clock.after(pauseMs, () => void this.#attempt());
  }

  async #isWritten(): Promise<boolean> {
    const { log, session } = this.#options;
    const { epoch, from, facts } = this.#group;
    const head = await log.head(session);
    if (head.epoch !== epoch) throw new Fenced(`${session} is in epoch ${head.epoch} by now, not in ${epoch}.`);
    return head.last === from + facts.length;
  }

  #armDeadline(): void {
    this.#disarmDeadline?.();
    const { clock, storeDeadlineMs } = this.#options;
    this.#disarmDeadline = clock.after(storeDeadlineMs, () => this.#fail('store_failed'));
  }

  #fail(reason: JournalFailure): void {
    this.stop();
    this.#onFailed(reason, this.#error);
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
  try {
    JSON.stringify(fact);
    return fact;
  } catch {}
  const fields = Object.entries(fact).map(([name, value]) => [name, isWritable(value) ? value : '[not writable]']);
  return Object.fromEntries(fields) as Fact; // a note may have another type than its field; the copy is only written
}
