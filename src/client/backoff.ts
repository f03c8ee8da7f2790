// Pauses between attempts to connect: each twice as long as the one before, up to a limit, with jitter.

export interface Backoff {
  /** The pause after the first failure, in milliseconds (250). It doubles with each. */
  readonly minMs?: number | undefined;
  /** The longest pause, in milliseconds (15 000). */
  readonly maxMs?: number | undefined;
}

/** The pause after the nth failure in a row, counted from 1: between half and all of the doubled pause, in milliseconds. */
export function pauseMs(failures: number, random: () => number, { minMs = 250, maxMs = 15_000 }: Backoff = {}): number {
  const doubled = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(doubled * (0.5 + random() / 2));
}
