// The work of `npm run prove` after its options are read: the sweep with its report, or one run again.
import { writeFileSync } from 'node:fs';
import { judge, lawNames } from './laws/judge.ts';
import { playRun } from './play.ts';
import { type ProofReport, printScenario, printTotals } from './report.ts';
import { scenarios } from './scenarios/index.ts';
import type { Replay } from './shrink.ts';
import { sweepScenarios, warmUp } from './sweep.ts';
import type { SweepKind } from './sweep-kinds.ts';

export interface ProveOptions {
  /** Names of scenarios; null: all. */
  readonly names: readonly string[] | null;
  readonly kinds: readonly SweepKind[];
  readonly seeds: readonly number[];
  readonly full: boolean;
  /** Every so many steps one is swept. */
  readonly every: number;
  /** Laws that a scenario may break before the next one is swept. */
  readonly maxFound: number;
  /** The file of the report. */
  readonly file: string;
}

const known = () => scenarios.map(({ name }) => name).join(', ');

/** Plays one run again, and prints its log and the laws that it breaks. Resolves with the number of violations. */
export async function replayRun(text: string): Promise<number> {
  const { scenario: name, ...plan } = JSON.parse(text) as Replay; // the text of an earlier run
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(`No scenario has the name ${name}. These are there: ${known()}.`);
  await warmUp([scenario]);
  const { evidence, steps } = await playRun({ scenario, ...plan });
  for (const [i, fact] of evidence.log.entries()) console.log(`${i + 1} ${JSON.stringify(fact)}`);
  const violations = judge(evidence);
  for (const { law, what } of violations) console.log(`BROKEN  ${law}: ${what}`);
  console.log(`${steps} steps, ${violations.length} violations.`);
  return violations.length;
}

/** Sweeps the scenarios, prints and writes the report. Resolves with the number of violations. */
export async function prove({ names, kinds, seeds, full, every, maxFound, file }: ProveOptions): Promise<number> {
  const unknown = names?.filter((name) => !scenarios.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`No scenario has the name ${unknown.join(', ')}. These are there: ${known()}.`);
  const chosen = names ? scenarios.filter(({ name }) => names.includes(name)) : scenarios;
  const start = performance.now();
  console.log(`Seeds ${seeds.join(', ')}, ${chosen.length} scenarios, ${lawNames.length} laws.`);
  const swept = await sweepScenarios({
    scenarios: chosen,
    kinds,
    seeds,
    full,
    every,
    maxFound,
    onScenario: printScenario,
  });
  const seconds = (performance.now() - start) / 1_000;
  const report: ProofReport = { ...swept, kinds, seeds, full, every, laws: lawNames, seconds };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  printTotals(report, file);
  return report.scenarios.flatMap(({ violations }) => violations).length;
}
