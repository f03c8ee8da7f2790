// The journal of a session: the only one that appends to its log, in the order of the calls.
//
// 1. A fact has its number in the tick in which it is given; nothing is told as committed before its commit.
// 2. One append is in flight; what comes meanwhile goes into the next one, whole calls together.
// 3. A group is repeated only after a look whether it was written: an answer can be lost.
// 4. Once ended, it takes nothing, tells nothing, and no promise of `append` resolves any more.
import type { Fact, Recorded } from '../../machines/facts.ts';
import type { Clock } from '../sources/sources.ts';
import { writable } from './json-safe.ts';
import { Fenced, type Log } from './log.ts';

/** A fact with its place in the log of its session. */
export interface SequencedFact {
  readonly seq: number;
  readonly fact: Recorded;
}

/** Why a journal has ended by itself. */
export type JournalEnd = 'store_failed' | 'fenced';

export interface JournalOptions {
  readonly log: Log;
  readonly session: string;
  /** As claimed. */
  readonly epoch: number;
  /** The sequence number of the last event in the log. */
  readonly last: number;
  readonly clock: Clock;
  /** Milliseconds from an append's first failure to giving up; also how long it may stay without any answer. */
  readonly storeDeadlineMs: number;
  /** In the tick of `append`. */
  onNumbered(events: readonly SequencedFact[]): void;
  /** After the commit, before the promises of `append` resolve. */
  onCommitted(events: readonly SequencedFact[]): void;
  /** Once, not after `end()`. `error` is the store's last one; null when it gave no answer. */
  onEnd(reason: JournalEnd, error: unknown): void;
}

export type Journal = ReturnType<typeof createJournal>;

const maxGroup = 256; // facts, from which on a group takes no further call
const firstPauseMs = 20;
const maxPauseMs = 500;

export function createJournal(options: JournalOptions) {
  const { log, session, epoch, clock, storeDeadlineMs } = options;
  let last = options.last;
  let committed = options.last;
  let state: 'idle' | 'writing' | 'ended' = 'idle';
  let calls: (readonly SequencedFact[])[] = [];
  let waiters: { readonly upTo: number; readonly resolve: () => void }[] = [];
  const idlers: (() => void)[] = [];
  let letGo = () => {};

  const rest = () => {
    for (const resolve of idlers.splice(0)) resolve();
  };
  const end = () => {
    state = 'ended';
    letGo();
    calls = [];
    waiters = [];
    rest();
  };
  const fail = (reason: JournalEnd, error: unknown) => {
    end();
    options.onEnd(reason, error);
  };

  const commit = (events: readonly SequencedFact[]) => {
    committed = events.at(-1)?.seq ?? committed;
    options.onCommitted(events);
    const done = waiters.filter(({ upTo }) => upTo <= committed);
    waiters = waiters.filter(({ upTo }) => upTo > committed);
    for (const { resolve } of done) resolve();
  };

  const next = () => {
    if (state === 'ended') return;
    const events: SequencedFact[] = [];
    for (let call = calls[0]; call && events.length < maxGroup; call = calls[0]) {
      events.push(...call);
      calls.shift();
    }
    state = events.length > 0 ? 'writing' : 'idle';
    if (state === 'writing') write(events);
    else rest();
  };

  const write = (events: readonly SequencedFact[]) => {
    const from = committed;
    const bodies = events.map(({ fact }) => fact);
    let failures = 0;
    let error: unknown = null;
    let writing = true;
    const giveUp = () => fail('store_failed', error);
    let stopDeadline = clock.after(storeDeadlineMs, giveUp);
    let stopPause = () => {};
    letGo = () => {
      writing = false;
      stopDeadline();
      stopPause();
    };
    const isWritten = async () => {
      const head = await log.head(session);
      if (head.epoch !== epoch) throw new Fenced(`${session} is in epoch ${head.epoch} by now.`);
      return head.last === from + events.length;
    };
    const attempt = async () => {
      try {
        if (failures === 0 || !(await isWritten())) {
          if (!writing) return;
          await log.append(session, epoch, from, bodies);
        }
      } catch (thrown) {
        if (!writing) return;
        error = thrown;
        if (thrown instanceof Fenced) return fail('fenced', thrown);
        failures++;
        if (failures === 1) {
          stopDeadline();
          stopDeadline = clock.after(storeDeadlineMs, giveUp);
        }
        stopPause = clock.after(Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1)), () => void attempt());
        return;
      }
      if (!writing) return;
      letGo();
      commit(events);
      next();
    };
    void attempt();
  };

  return {
    /** Resolves with the commit of these facts and of all before them, or never. Never rejects. */
    append(facts: readonly Fact[]): Promise<void> {
      if (state === 'ended') return new Promise(() => {});
      const at = clock.now();
      const events = facts.map((fact, i) => ({ seq: last + i + 1, fact: { ...writable(fact), at } }));
      last += events.length;
      if (committed === last) return Promise.resolve();
      const told = new Promise<void>((resolve) => waiters.push({ upTo: last, resolve }));
      if (events.length > 0) {
        calls.push(events);
        if (state === 'idle') {
          state = 'writing';
          queueMicrotask(next); // what else this tick brings goes into the same append
        }
        options.onNumbered(events);
      }
      return told;
    },
    /** The last number given. */
    get last(): number {
      return last;
    },
    /** The number of the last fact that has committed. */
    get committed(): number {
      return committed;
    },
    /** Resolves when nothing waits for its commit any more, or the journal has ended. */
    idle(): Promise<void> {
      return state === 'writing' ? new Promise((resolve) => idlers.push(resolve)) : Promise.resolve();
    },
    /** Demolition: what has not been sent to the log will not be, and nobody is told of anything. */
    end(): void {
      if (state !== 'ended') end();
    },
  };
}
