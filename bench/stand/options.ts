// Reads the options of a benchmark from its command line.
import { parseArgs } from 'node:util';

export interface Options {
  /** Fewer rounds: for a first impression, not for a figure to compare. */
  readonly quick: boolean;
  /** A part of the names of the cases that run; empty: all run. */
  readonly only: string;
  /** The servers write a CPU profile into this folder when they end. */
  readonly profile: string | null;
}

export function readOptions(): Options {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, only: { type: 'string' }, profile: { type: 'string' } },
  });
  return { quick: values.quick ?? false, only: values.only ?? '', profile: values.profile ?? null };
}
