// The interfaces of clocks, ids and random numbers. No other floor reads a clock, sets a timer or creates an id.

/** Disarms a timer; does nothing after it has fired. */
export type Disarm = () => void;

declare const monotonic: unique symbol;

/**
 * A moment of a clock that does not step; at run time a number of milliseconds. For the compiler it is no number: a time of day can be neither subtracted
 * from it nor compared with it, see monotonic-time.ts. It has no meaning in another process, so no fact, frame or file has one.
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
  /** Runs `fn` after the event loop has read all sockets and pipes that are readable now. Left out: a timer of 0 ms stands in. */
  afterPoll?(fn: () => void): void;
  /** Runs `fn` after all promises that wait for no I/O or timer have settled, before the event loop reads anything. Left out: a microtask stands in. */
  afterPromises?(fn: () => void): void;
}

/** Returns a new id with the given prefix, unique also over restarts: `ids('turn')` -> `turn_8f3k2m9q0x7a`. */
export type Ids = (prefix: string) => string;

/** Returns a random number, as `Math.random`: at least 0 and less than 1. */
export type Random = () => number;

export interface Sources {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}
