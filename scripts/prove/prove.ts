// The work of `npm run prove` after its options are read: the sweep with its report, or one run again.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageProblems, phasePage, phasePageWith } from './coverage/phase-page.ts';
import { judge, lawNames } from './laws/judge.ts';
import { type ProofReport, printScenario, printTotals } from './report.ts';
import { playRun } from './runs/play.ts';
import type { Replay } from './runs/shrink.ts';
import { scenarios } from './scenarios/index.ts';
import { sweepKinds } from './sweep-kinds.ts';
import { type SweepSettings, warmUp } from './sweeps/scenario-sweep.ts';
import { sweepScenarios } from './sweeps/sweep.ts';

export interface ProveOptions {
  /** Names of scenarios; null: all. */
  readonly names: readonly string[] | null;
  readonly settings: SweepSettings;
  /** The number of processes. */
  readonly processes: number;
  /** The name of the bug that is planted; null: none is. */
  readonly plant: string | null;
  /** The file of the report. */
  readonly file: string;
  /** Writes what was seen into docs/cancellation.md, instead of comparing it. */
  readonly writesPage: boolean;
}

const pageFile = join(import.meta.dirname, '../..', phasePage);
const known = () => scenarios.map(({ name }) => name).join(', ');

/** Plays one run again, and prints its log and the laws that it breaks. Resolves with the number of violations. */
export async function replayRun(text: string): Promise<number> {
  const { scenario: name, ...plan } = JSON.parse(text) as Replay; // the text of an earlier run
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(`No scenario has the name ${name}. These are there: ${known()}.`);
  await warmUp(scenario);
  const { evidence, steps } = await playRun({ scenario, ...plan });
  for (const [i, fact] of evidence.log.entries()) console.log(`${i + 1} ${JSON.stringify(fact)}`);
  const violations = judge(evidence);
  for (const { law, what } of violations) console.log(`BROKEN  ${law}: ${what}`);
  console.log(`${steps} steps, ${violations.length} violations.`);
  return violations.length;
}

/**
 * Sweeps the scenarios, prints and writes the report. Resolves with the number of violations, of phases that docs/cancellation.md has otherwise than they were
 * seen, and of cells that a whole sweep has not visited.
 */
export async function prove({ names, settings, processes, plant, file, writesPage }: ProveOptions): Promise<number> {
  const unknown = names?.filter((name) => !scenarios.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`No scenario has the name ${unknown.join(', ')}. These are there: ${known()}.`);
  const chosen = names ? scenarios.filter(({ name }) => names.includes(name)) : scenarios;
  const { kinds, seeds, full, every } = settings;
  const start = performance.now();
  console.log(`Seeds ${seeds.join(', ')}, ${chosen.length} scenarios, ${lawNames.length} laws.`);
  const swept = await sweepScenarios({
    scenarios: chosen,
    settings,
    processes,
    plant,
    onScenario: printScenario,
  });
  const seconds = (performance.now() - start) / 1_000;
  const isWhole = names === null && every === 1 && sweepKinds.every((kind) => kinds.includes(kind));
  const report: ProofReport = { ...swept, isWhole, kinds, seeds, full, every, laws: lawNames, seconds };
  const { ends, missing } = report.coverage;
  const page = readFileSync(pageFile, 'utf8');
  if (writesPage) writeFileSync(pageFile, phasePageWith(page, ends));
  const problems = writesPage ? [] : pageProblems(page, ends, isWhole);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  printTotals(report, file);
  for (const problem of problems) console.log(`PAGE  ${problem} (npm run prove -- --page)`);
  const broken = report.scenarios.flatMap(({ violations }) => violations).length;
  return broken + problems.length + (isWhole ? missing.length : 0);
}
