// How long to wait before the next attempt: longer with each failure, up to a bound, and not the same for all who have failed together.

export interface Backoff {
  /** The pause after the first failure, in milliseconds (250). It doubles with each. */
  readonly minMs?: number;
  /** The longest pause (15 000). */
  readonly maxMs?: number;
}

/** After the nth failure in a row, from 1: between half and all of the grown pause. */
export function pauseMs(failures: number, random: () => number, { minMs = 250, maxMs = 15_000 }: Backoff = {}): number {
  const grown = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(grown * (0.5 + random() / 2));
}
