// The sweep of all scenarios, in several processes. Its result does not depend on their number.
import { CellTotals, type CoverageReport, noCells, type VisitedCells } from '../coverage/cell-totals.ts';
import { VisitedPairs } from '../runs/injections.ts';
import type { Scenario } from '../world/scenario.ts';
import { openSweepers, type Sweeper } from './process-pool.ts';
import type { ScenarioReport, ScenarioResult, SweepSettings } from './scenario-sweep.ts';

export interface SweepOptions {
  readonly scenarios: readonly Scenario[];
  readonly settings: SweepSettings;
  /** The number of processes. */
  readonly processes: number;
  /** The name of the bug that is planted in each of them; null: none is. */
  readonly plant: string | null;
  /** Called for each scenario, in their order. */
  onScenario(report: ScenarioReport): void;
}

export interface SweepReport {
  readonly scenarios: readonly ScenarioReport[];
  /** How often each pair of a phase with a source, with a kind of target, or with a kind of crash was visited. */
  readonly pairs: readonly (readonly [pair: string, visits: number])[];
  /** How many states all runs together went through (scripts/prove/runs/states.ts). */
  readonly states: number;
  readonly coverage: CoverageReport;
}

export async function sweepScenarios({
  scenarios,
  settings,
  processes,
  plant,
  onScenario,
}: SweepOptions): Promise<SweepReport> {
  const sweepers = openSweepers({ settings, plant, count: Math.min(processes, scenarios.length) });
  const totals = new CellTotals(settings.kinds);
  const results: ScenarioResult[] = [];
  try {
    // scenarios that fill cells come last, one after the other: each leaves out the cells that earlier ones have visited
    const rooms = scenarios.filter(({ fillsCells }) => fillsCells);
    const others = scenarios.filter((one) => !rooms.includes(one));
    for (const some of [others, ...rooms.map((room) => [room])]) {
      const before = some === others ? noCells : totals.visitedCells;
      const swept = await sweepAll(some, { sweepers, before, onResult: ({ report }) => onScenario(report) });
      for (const { cells } of swept) totals.merge(cells);
      results.push(...swept);
    }
  } finally {
    for (const sweeper of sweepers) sweeper.close();
  }
  const visited = new VisitedPairs();
  for (const { pairs } of results) visited.merge(pairs);
  return {
    scenarios: results.map(({ report }) => report),
    pairs: visited.list(),
    states: new Set(results.flatMap(({ states }) => states)).size,
    coverage: totals.report(),
  };
}

interface SweepTask {
  readonly sweepers: readonly Sweeper[];
  readonly before: VisitedCells;
  /** Called in the order of the scenarios. */
  onResult(result: ScenarioResult): void;
}

/** Gives the next scenario to each sweeper that is free. Resolves with the results in the order of the scenarios. */
async function sweepAll(
  scenarios: readonly Scenario[],
  { sweepers, before, onResult }: SweepTask,
): Promise<readonly ScenarioResult[]> {
  const names = [...scenarios.entries()].map(([at, { name }]) => ({ at, name })).values();
  const results: ScenarioResult[] = [];
  let published = 0;
  const sweepNext = async (sweeper: Sweeper): Promise<void> => {
    for (const { at, name } of names) {
      results[at] = await sweeper.sweep(name, before);
      for (let next = results[published]; next; next = results[++published]) onResult(next);
    }
  };
  await Promise.all(sweepers.map(sweepNext));
  return results;
}
