// The arithmetic of the benchmarks: ranks, and ratios within a round, so that what slows the machine for a while slows both sides.

/** The value at a rank from 0 to 1, between neighbors in proportion. NaN where there are no values. */
export function quantile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * rank;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Ratio {
  readonly median: number;
  /** Half of the rounds lie between these. */
  readonly low: number;
  readonly high: number;
}

/** Of what was measured in the same rounds, in the same order. */
export function ratioOf(above: readonly number[], below: readonly number[]): Ratio {
  if (above.length !== below.length) throw new RangeError('a ratio needs both sides of each round');
  const ratios = above.map((value, round) => value / (below[round] ?? Number.NaN));
  return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}

/** Returns the list rotated by the round, so that none is always first. */
export function rotated<T>(list: readonly T[], round: number): readonly T[] {
  const first = round % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}
