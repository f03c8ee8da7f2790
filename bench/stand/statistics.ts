// The statistics of the benchmarks: quantiles, and ratios within a round. Both sides of a ratio are measured in the same round, because the machine may be
// slower for a while.

/** Returns the value at a rank from 0 to 1, interpolated linearly; NaN if there are no values. */
export function quantile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * rank;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface RatioSummary {
  readonly median: number;
  /** The lower quartile. */
  readonly low: number;
  /** The upper quartile. */
  readonly high: number;
}

/** Summarizes the ratios of each round: both lists have one value for each round, in the same order. */
export function summarizeRatios(numerators: readonly number[], denominators: readonly number[]): RatioSummary {
  if (numerators.length !== denominators.length)
    throw new RangeError(
      `The lists must have one value for each round: ${numerators.length} and ${denominators.length}.`,
    );
  const ratios = numerators.map((value, round) => value / (denominators[round] ?? Number.NaN));
  return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}

/** Returns the list rotated by the number of the round, so that each entry is first in turn. */
export function rotate<T>(list: readonly T[], round: number): readonly T[] {
  const first = round % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}
