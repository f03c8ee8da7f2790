// A client's time and chance: the platform's own, unless others are given. Nothing else in this folder reads a clock or a random number.
import { type CreateRef, randomRef } from './command-ref.ts';

/** Like the runtime's sources, as far as a client needs them. A timer of these keeps a Node process alive until it fires or is disarmed. */
export interface ClientSources {
  readonly clock: {
    /** Milliseconds. */
    now(): number;
    /** Runs `fn` once, `ms` milliseconds from now; the returned function disarms it. */
    after(ms: number, fn: () => void): () => void;
  };
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

export const platformSources: ClientSources & { readonly createRef: CreateRef } = {
  clock: {
    now: () => Date.now(),
    after(ms, fn) {
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => Math.random(),
  createRef: randomRef,
};
