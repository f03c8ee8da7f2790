// The report of a proof: a line for each scenario, the totals, and what is written into prove.json.
import type { CoverageReport } from './coverage/cell-totals.ts';
import type { FoundViolation, Replay } from './runs/shrink.ts';
import type { SweepKind } from './sweep-kinds.ts';
import type { ScenarioReport } from './sweeps/scenario-sweep.ts';
import type { SweepReport } from './sweeps/sweep.ts';

export interface ProofReport extends SweepReport {
  readonly kinds: readonly SweepKind[];
  readonly seeds: readonly number[];
  readonly full: boolean;
  /** Every so many steps one was swept. */
  readonly every: number;
  /** Whether each cell of the coverage has to be visited: all scenarios were swept, at every step. */
  readonly isWhole: boolean;
  /** The names of the laws. */
  readonly laws: readonly string[];
  readonly seconds: number;
}

/** The command that plays a run again. */
const replayCommand = (replay: Replay): string => `npm run prove -- --replay '${JSON.stringify(replay)}'`;

const total = (report: SweepReport, of: (scenario: ScenarioReport) => number): number =>
  report.scenarios.reduce((sum, scenario) => sum + of(scenario), 0);

function printViolation({ law, what, replay }: FoundViolation): void {
  const choices = Object.keys(replay.choices).length;
  console.log(`  BROKEN  ${law}: ${what}`);
  console.log(
    `          seed ${replay.seed}, ${replay.injections.length} injections, ${choices} choices: ${replayCommand(replay)}`,
  );
}

export function printScenario({ name, steps, injections, crashes, violations, slowest }: ScenarioReport): void {
  const settled = slowest.ms > 0 ? `, slowest stop ${slowest.ms} ms of ${slowest.budgetMs} ms` : '';
  console.log(
    `${violations.length === 0 ? 'ok    ' : 'BROKEN'}  ${name}: ${steps} steps, ${injections} cancels, ${crashes} crashes${settled}`,
  );
  for (const violation of violations) printViolation(violation);
}

/** Prints the totals of the coverage, and the cells that are missing. */
function printCoverage({ cells, visited, impossible, missing }: CoverageReport): void {
  console.log(`${visited} of ${cells} cells visited, ${impossible} impossible.`);
  for (const cell of missing) console.log(`  MISSING  ${cell}`);
}

export function printTotals(report: ProofReport, file: string): void {
  const violations = total(report, (scenario) => scenario.violations.length);
  const counts = [
    `${report.scenarios.length} scenarios`,
    `${total(report, ({ steps }) => steps)} steps`,
    `${total(report, ({ runs }) => runs)} runs`,
    `${total(report, ({ injections }) => injections)} cancels`,
    `${total(report, ({ crashes }) => crashes)} crashes`,
    `${total(report, ({ paired }) => paired)} runs with two injections`,
    `${report.states} states`,
    `${report.pairs.length} pairs of a phase and an injection`,
    `${violations} violations`,
    `${report.seconds.toFixed(1)} s`,
  ];
  console.log('');
  if (report.isWhole) printCoverage(report.coverage);
  console.log(`${counts.join(', ')}. Seeds ${report.seeds.join(', ')}. Written to ${file}.`);
}
