// The interfaces of time, ids and chance. No other floor reads a clock, sets a timer or makes up an id by itself.

/** Cancels the timer; does nothing after it has fired. */
export type Disarm = () => void;

declare const monotonic: unique symbol;

/**
 * A moment of a clock that does not step; at run time a number of milliseconds. For the compiler it is no number: a time of day can be neither subtracted
 * from it nor compared with it, see monotonic-time.ts. It means nothing to another process, so no fact, frame or file has one.
 */
export interface MonotonicTime {
  readonly [monotonic]: true;
}

export interface Clock {
  /**
   * Milliseconds since 1970: the time of day, which may be set backward or forward. For what is recorded, shown, or compared with a time from outside or from
   * before a restart.
   */
  now(): number;
  /** The time since a fixed moment. It never goes back, and a step of the time of day does not change it. For rates, timeouts, budgets, silences and ages. */
  elapsed(): MonotonicTime;
  /** Runs `fn` once, `ms` milliseconds from now. The timer does not keep the process alive. */
  after(ms: number, fn: () => void): Disarm;
  /** Runs `fn` when the event loop has read what is readable now. Left out: after 0 ms. */
  afterPoll?(fn: () => void): void;
  /** Runs `fn` when the promises that depend only on each other have settled, before the event loop reads anything. Left out: as a microtask. */
  afterPromises?(fn: () => void): void;
}

/** A new id with the given prefix: `ids('turn')` -> `turn_8f3k2m9q0x7a`. Never the same twice, also not after a restart. */
export type Ids = (prefix: string) => string;

/** A number from 0 up to, not including, 1. */
export type Random = () => number;

export interface Sources {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}
