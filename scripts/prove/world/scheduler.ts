// The one scheduler of a simulated run: it owns the virtual time and everything that may come in another order.
//
// 1. Each thing that will happen has a window of time. What shares a lane happens in the order in which it was put there.
// 2. A decision takes one of the things whose window allows it to be next. The first choice, 0, is the thing that is due first.
// 3. Between two decisions all promises settle, in the order of V8, which is always the same.

import { monotonicTime } from '../../../src/core/sources/monotonic-time.ts';
import type { Clock } from '../../../src/core/sources/sources.ts';
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import { nextLoopTurn } from './platform-guard.ts';

/** A thing that will happen: not before `from`, and not after `until`, in virtual milliseconds. */
interface Due {
  readonly lane: string;
  from: number;
  until: number;
  readonly order: number;
  readonly isTimer: boolean;
  act(): void;
}

/** The choices of a run that are not 0, by the number of the decision. */
export type Choices = Readonly<Record<number, number>>;

export interface SchedulerOptions {
  /** The seed of the choices; null: those of `choices`, and 0 elsewhere. */
  readonly seed: number | null;
  readonly choices?: Choices | undefined;
}

/** How late a timer may be beside other timers, in milliseconds. */
const timerLatenessMs = 2;
/** Every second choice of a seeded run is the thing that is due first: otherwise little goes the way that it goes in practice. */
const orderlyShare = 0.5;

export class Scheduler {
  readonly #lanes = new Map<string, Due[]>();
  readonly #random: (() => number) | null;
  readonly #given: Choices;
  readonly #made: Record<number, number> = {};
  #now = 0;
  /** The time of day, less the time since the start. */
  #timeOfDayMs = 0;
  #order = 0;
  #decisions = 0;
  #digest = 0;

  constructor({ seed, choices = {} }: SchedulerOptions) {
    this.#random = seed === null ? null : seededRandom(seed);
    this.#given = choices;
  }

  /** The number of decisions so far: the number of the next step. */
  get step(): number {
    return this.#decisions;
  }

  get now(): number {
    return this.#now;
  }

  /** The choices so far that were not 0. */
  get made(): Choices {
    return this.#made;
  }

  /** A number that differs between two runs as soon as one of their decisions does. */
  get digest(): number {
    return this.#digest;
  }

  /** Things in flight that are no timers. */
  get inFlight(): number {
    let count = 0;
    for (const queue of this.#lanes.values()) for (const { isTimer } of queue) if (!isTimer) count++;
    return count;
  }

  /** The lanes in which something has not happened, each once. */
  get lanes(): Iterable<string> {
    return this.#lanes.keys();
  }

  /** The lanes of everything that has not happened. */
  get pending(): readonly string[] {
    return this.#all().map(({ lane }) => lane);
  }

  /** The clock of the runtime, the gateway and the clients. */
  readonly clock: Clock = {
    now: () => this.#now + this.#timeOfDayMs,
    elapsed: () => monotonicTime(this.#now),
    // timers of one length fire in their order, as those of Node do
    after: (ms, fn) => this.#put(`timer of ${ms} ms`, { fromMs: ms, forMs: timerLatenessMs, isTimer: true }, fn),
  };

  stepTimeOfDay(ms: number): void {
    this.#timeOfDayMs += ms;
  }

  /** A clock for the work of the world: each of its timers has a lane of its own, and may be up to `jitterMs` late. */
  workClock(name: string, jitterMs: number): Clock {
    return {
      ...this.clock,
      after: (ms, fn) => this.#put(`${name} ${this.#order}`, { fromMs: ms, forMs: jitterMs, isTimer: true }, fn),
    };
  }

  /** Puts something at the end of a lane; it happens within `withinMs`. */
  put(lane: string, withinMs: number, act: () => void): () => void {
    return this.#put(lane, { fromMs: 0, forMs: withinMs, isTimer: false }, act);
  }

  /** Lets nothing that is put into the lane from now on happen for `ms`. */
  block(lane: string, ms: number): void {
    this.#put(lane, { fromMs: ms, forMs: 0, isTimer: false }, () => {});
  }

  /** Loses everything in a lane. */
  drop(lane: string): void {
    this.#lanes.delete(lane);
  }

  /** Makes everything in the lanes whose name begins so late by `ms`. */
  hold(prefix: string, ms: number): void {
    for (const [lane, queue] of this.#lanes) {
      if (!lane.startsWith(prefix)) continue;
      for (const due of queue) {
        due.from += ms;
        due.until += ms;
      }
    }
  }

  /** Lets everything that is in these lanes happen now. */
  hurry(isMeant: (lane: string) => boolean): void {
    for (const due of this.#all().filter(({ lane }) => isMeant(lane))) {
      this.#remove(due);
      due.act();
    }
  }

  /**
   * Takes the next step: `around` calls it, and may put something before and after it, before its promises settle. Returns false if nothing is left that may
   * happen before `untilMs`.
   */
  async takeStep(untilMs = Number.POSITIVE_INFINITY, around = (act: () => void): void => act()): Promise<boolean> {
    await nextLoopTurn();
    const options = this.#options();
    const [first] = options;
    if (!first || first.from > untilMs) return false;
    const due = options[this.#choose(options.length)] ?? first;
    this.#decisions++;
    this.#digest = hash(this.#digest, due.lane);
    this.#now = Math.max(this.#now, due.from);
    this.#remove(due);
    around(() => due.act());
    await nextLoopTurn();
    return true;
  }

  #choose(count: number): number {
    const at = this.#decisions;
    const given = this.#given[at];
    const chosen = this.#random ? this.#draw(count, this.#random) : Math.min(given ?? 0, count - 1);
    if (chosen > 0) this.#made[at] = chosen;
    return chosen;
  }

  #draw(count: number, random: () => number): number {
    const isOrderly = random() < orderlyShare;
    const drawn = Math.floor(random() * count);
    return isOrderly ? 0 : drawn;
  }

  /** The heads of the lanes that may be next, the one that is due first at first. */
  #options(): readonly Due[] {
    const heads: Due[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (const [head] of this.#lanes.values()) {
      if (!head) continue;
      heads.push(head);
      earliest = Math.min(earliest, head.until);
    }
    const latest = Math.max(this.#now, earliest);
    const byTime = (a: Due, b: Due) => Math.max(a.from, this.#now) - Math.max(b.from, this.#now) || a.order - b.order;
    return heads.filter(({ from }) => from <= latest).sort(byTime);
  }

  #put(
    lane: string,
    { fromMs, forMs, isTimer }: { readonly fromMs: number; readonly forMs: number; readonly isTimer: boolean },
    act: () => void,
  ): () => void {
    const from = this.#now + fromMs;
    const due: Due = { lane, from, until: from + forMs, order: this.#order++, isTimer, act };
    const queue = this.#lanes.get(lane);
    if (queue) queue.push(due);
    else this.#lanes.set(lane, [due]);
    return () => this.#remove(due);
  }

  #remove(due: Due): void {
    const queue = this.#lanes.get(due.lane);
    const at = queue?.indexOf(due) ?? -1;
    if (!queue || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.#lanes.delete(due.lane);
  }

  #all(): readonly Due[] {
    return [...this.#lanes.values()].flat();
  }
}

/** Mixes a text into a number of 32 bits. */
function hash(start: number, text: string): number {
  let mixed = start;
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 16_777_619);
  return mixed >>> 0;
}
