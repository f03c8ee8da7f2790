// Prints figures: the ratios first, then the milliseconds of this machine.
import { type ContestantName, comparisons, contestantNames, leanFloor } from './contestants.ts';
import { median, quantile, summarizeRatios } from './statistics.ts';

/** What was measured of each contestant, one value for each round. */
export type Measurements = Readonly<Record<ContestantName, number[]>>;

/** Returns an empty list for each contestant. */
export const emptyMeasurements = (): Measurements =>
  // both lists together are all names
  Object.fromEntries([...contestantNames, leanFloor].map((name) => [name, [] as number[]])) as Record<
    ContestantName,
    number[]
  >;

interface Row {
  readonly name: string;
  readonly values: Measurements;
}

const digits = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const allNames: readonly ContestantName[] = [...contestantNames, leanFloor];

/** The contestants that were measured. */
const measuredIn = (rows: readonly Row[]): readonly ContestantName[] =>
  allNames.filter((name) => rows.some(({ values }) => values[name].length > 0));

/** Prints a table. `unit`: of the values, for its head. After each median comes the 95th percentile, or the 5th if more is better. */
export function printTable(title: string, unit: string, rows: readonly Row[], better: 'less' | 'more' = 'less'): void {
  const badPercentile = better === 'less' ? 95 : 5;
  const measured = measuredIn(rows);
  const head = [
    title,
    ...comparisons.map(([above, below]) => `${above} / ${below}`),
    ...measured.map((name) => `${name} (p${badPercentile})`),
  ];
  const body = rows.map(({ name, values }) => [
    name,
    ...comparisons.map(([above, below]) => {
      const { median: middle, low, high } = summarizeRatios(values[above], values[below]);
      return `${middle.toFixed(2)}  (${low.toFixed(2)}-${high.toFixed(2)})`;
    }),
    ...measured.map(
      (each) => `${digits(median(values[each]))} (${digits(quantile(values[each], badPercentile / 100))})`,
    ),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  console.log(`\n${line(head)}`);
  console.log(
    `${''.padEnd(widths[0] ?? 0)}  ratios: median of the rounds (and their quartiles); then ${unit}; ${better} is better`,
  );
  for (const row of body) console.log(line(row));
}
