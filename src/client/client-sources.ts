// Where a client's time and chance come from: the platform's own, unless others are given. It is the only place here that they come from.
import { type Refs, randomRefs } from './refs.ts';

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

export const platformSources: ClientSources & { readonly refs: Refs } = {
  clock: {
    now: () => Date.now(),
    after(ms, fn) {
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => Math.random(),
  refs: randomRefs,
};
