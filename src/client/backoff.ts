// The pauses between attempts to connect: each is twice as long as the one before, up to a limit, with jitter.

export interface Backoff {
  /** The pause after the first failure, in milliseconds. It doubles with each further one. Default: 250. */
  readonly minMs?: number | undefined;
  /** The longest pause, in milliseconds. Default: 15 000. */
  readonly maxMs?: number | undefined;
}

/** Returns the pause in milliseconds: at random between half of the doubled pause and all of it. `failures`: those in a row, 1 or more. */
export function pauseMs(failures: number, random: () => number, { minMs = 250, maxMs = 15_000 }: Backoff = {}): number {
  const doubled = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(doubled * (0.5 + random() / 2));
}
