// The clock and the random numbers of a client. Nothing else in this folder reads a clock or makes a random number.
import { type CreateRef, randomRef } from './command-ref.ts';

/** The part of the runtime's sources that a client needs. */
export interface ClientSources {
  readonly clock: {
    /** The time of day in milliseconds. A client does not call it: it measures by timers, which no step changes. */
    readonly now?: () => number;
    /** Runs `fn` once, `ms` milliseconds from now; the returned function disarms it. In Node an armed timer keeps the process alive. */
    after(ms: number, fn: () => void): () => void;
  };
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

/** The sources of the platform, which a client uses unless others are given; and the default refs of its commands. */
export const platformSources: ClientSources & { readonly createRef: CreateRef } = {
  clock: {
    after(ms, fn) {
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => Math.random(),
  createRef: randomRef,
};
